# How a plugin is built and tested.
#
#   iceberg_ivm_plugin(NAME SOURCES … METADATA x.json [LINK …])
#       A Qt plugin libNAME.so; its name should be <kind>_<name in x.json>. x.json is what
#       Q_PLUGIN_METADATA names, and must be made for this version of iceberg-ivm.
#   iceberg_ivm_test(NAME SOURCES … [LINK …])
#       A test program for ctest, with the conformance suites.

function(iceberg_ivm_plugin name)
    cmake_parse_arguments(arg "" "METADATA" "SOURCES;LINK" ${ARGN})
    if(NOT arg_SOURCES OR NOT arg_METADATA)
        message(FATAL_ERROR "iceberg_ivm_plugin(${name}): SOURCES and METADATA are needed")
    endif()
    file(READ ${arg_METADATA} metadata)
    string(JSON built_for ERROR_VARIABLE problem GET "${metadata}" builtFor)
    if(problem)
        message(FATAL_ERROR "${arg_METADATA}: ${problem}")
    endif()
    if(NOT built_for STREQUAL IcebergIvm_VERSION)
        message(FATAL_ERROR "${arg_METADATA} says \"builtFor\": \"${built_for}\", and the "
            "iceberg-ivm that was found in ${IcebergIvm_DIR} is version ${IcebergIvm_VERSION}. "
            "Write that version once the plugin passes its conformance suite with it")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${arg_METADATA})

    add_library(${name} MODULE ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE IcebergIvm::api Qt6::Core ${arg_LINK})
    target_compile_definitions(${name} PRIVATE QT_PLUGIN)
    # The static libraries inside stay the plugin's own: the host has others of the same names.
    set_target_properties(${name} PROPERTIES AUTOMOC ON PREFIX lib
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
    target_link_options(${name} PRIVATE LINKER:--exclude-libs,ALL LINKER:-z,defs)
endfunction()

function(iceberg_ivm_test name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE IcebergIvm::conformance Qt6::Test ${arg_LINK})
    target_compile_definitions(${name} PRIVATE
        ICEBERG_IVM_PLUGINS="${IcebergIvm_PLUGIN_DIR}")
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    add_test(NAME ${name} COMMAND ${name})
endfunction()
