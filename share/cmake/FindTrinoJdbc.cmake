# Trino's JDBC driver: exactly the version that share/setup/pins.json names, out of the cache folder
# (share/setup/README.md), which is filled by share/setup/fetch where it is empty.
#
#   TrinoJdbc_JAR   the driver, everything that it needs included
#
# -DTrinoJdbc_JAR=FILE takes another file instead.

if(NOT TrinoJdbc_JAR)
    find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
    execute_process(
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/../setup/fetch trino-jdbc
        OUTPUT_VARIABLE _trino_jdbc_folder OUTPUT_STRIP_TRAILING_WHITESPACE
        RESULT_VARIABLE _trino_jdbc_result)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
        ${CMAKE_CURRENT_LIST_DIR}/../setup/pins.json)
    if(_trino_jdbc_result EQUAL 0)
        file(GLOB TrinoJdbc_JAR ${_trino_jdbc_folder}/trino-jdbc-*.jar)
    endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TrinoJdbc REQUIRED_VARS TrinoJdbc_JAR
    REASON_FAILURE_MESSAGE "share/setup/fetch trino-jdbc says why")
