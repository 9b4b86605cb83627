# DuckDB, the embedded engine: exactly the version that share/setup/pins.json names, out of the
# cache folder (share/setup/README.md), which is filled by share/setup/fetch where it is empty.
#
#   DuckDB::DuckDB            the shared library and its C header
#   DuckDB_VERSION            1.5.5
#   DuckDB_LIBRARY            libduckdb.so; what is built finds it there through its RPATH
#   DuckDB_INCLUDE_DIR        the folder of duckdb.h
#   DuckDB_AVRO_EXTENSION, DuckDB_ICEBERG_EXTENSION   files for LOAD, avro first
#   DuckDB_LICENSE            goes wherever the library is installed
#
# -DDuckDB_ROOT=FOLDER takes a folder of the same layout (lib/, include/, extensions/) instead.

set(DuckDB_VERSION 1.5.5)

if(NOT TARGET DuckDB::DuckDB)
    if(DuckDB_ROOT)
        set(_duckdb_folder "${DuckDB_ROOT}")
    else()
        find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
        message(STATUS "DuckDB ${DuckDB_VERSION}: from the cache, or 60 MB to download into it")
        execute_process(
            COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/../setup/fetch duckdb
            OUTPUT_VARIABLE _duckdb_folder OUTPUT_STRIP_TRAILING_WHITESPACE
            RESULT_VARIABLE _duckdb_result)
        if(NOT _duckdb_result EQUAL 0)
            message(FATAL_ERROR "DuckDB ${DuckDB_VERSION} is not to be had; the reason is above")
        endif()
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
            ${CMAKE_CURRENT_LIST_DIR}/../setup/pins.json)
    endif()

    foreach(_duckdb_file lib/libduckdb.so include/duckdb.h LICENSE
            extensions/avro.duckdb_extension extensions/iceberg.duckdb_extension)
        if(NOT EXISTS ${_duckdb_folder}/${_duckdb_file})
            message(FATAL_ERROR
                "DuckDB ${DuckDB_VERSION}: ${_duckdb_folder}/${_duckdb_file} is missing")
        endif()
    endforeach()

    add_library(DuckDB::DuckDB SHARED IMPORTED GLOBAL)
    set_target_properties(DuckDB::DuckDB PROPERTIES
        IMPORTED_LOCATION "${_duckdb_folder}/lib/libduckdb.so"
        IMPORTED_SONAME libduckdb.so
        INTERFACE_INCLUDE_DIRECTORIES "${_duckdb_folder}/include")
    message(STATUS "DuckDB ${DuckDB_VERSION}: ${_duckdb_folder}")
endif()

# Variables are scoped to the calling folder, the target is not: a second caller gets them from the
# first one's finding.
get_target_property(DuckDB_LIBRARY DuckDB::DuckDB IMPORTED_LOCATION)
get_filename_component(_duckdb_folder "${DuckDB_LIBRARY}/../.." ABSOLUTE)
set(DuckDB_INCLUDE_DIR "${_duckdb_folder}/include")
set(DuckDB_AVRO_EXTENSION "${_duckdb_folder}/extensions/avro.duckdb_extension")
set(DuckDB_ICEBERG_EXTENSION "${_duckdb_folder}/extensions/iceberg.duckdb_extension")
set(DuckDB_LICENSE "${_duckdb_folder}/LICENSE")
set(DuckDB_FOUND TRUE)
