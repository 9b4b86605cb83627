# Tests of the whole, with the real plugins.
#
#   ivm_host_test(NAME LABEL [SOURCE …])   one program, and its ctest
#   ivm_host_test_program(NAME [SOURCE …]) the program alone
#   ivm_scenario_test(NAME [ENGINE …])     NAME.cpp, told in a Scenario, and a ctest for each engine
#                                          (embedded and trino, where none is named):
#                                          NAME_ENGINE, with IVM_TEST_ENGINE
#   ivm_jdbc_test(NAME PROGRAM TIMEOUT [LABEL])
#                                          PROGRAM once more, with Trino reached through JDBC
#   ivm_host_process_test(NAME [LABEL label] [TIMEOUT seconds])
#                                          NAME.cpp, with ivmd and ivmctl as processes

set(IVM_HOST_TEST_TIMEOUT 1500)

function(ivm_host_test_program name)
    ivm_test_program(${name} SOURCES ${ARGN} LINK ivm_history ivm_host)
    target_compile_definitions(${name} PRIVATE IVM_TEST_PLUGINS="${IVM_PLUGIN_DIR}")
    add_dependencies(${name}
        executor_duckdb executor_trino detector_catalog detector_trino store_iceberg store_sqlite)
endfunction()

function(ivm_host_test name label)
    ivm_host_test_program(${name} ${ARGN})
    ivm_run_test(${name} PROGRAM ${name} LABELS ${label} TIMEOUT ${IVM_HOST_TEST_TIMEOUT})
endfunction()

function(ivm_scenario_test name)
    set(engines ${ARGN})
    if(NOT engines)
        set(engines embedded trino)
    endif()
    ivm_host_test_program(${name})
    target_link_libraries(${name} PRIVATE ivm_scenario)
    foreach(engine ${engines})
        ivm_engine_test(${name}_${engine} ${name} ${engine})
    endforeach()
endfunction()

function(ivm_engine_test name program engine)
    if(engine STREQUAL trino)
        set(label trino)
    else()
        set(label e2e)
    endif()
    ivm_run_test(${name} PROGRAM ${program} LABELS ${label} TIMEOUT ${IVM_HOST_TEST_TIMEOUT}
        ENVIRONMENT IVM_TEST_ENGINE=${engine})
endfunction()

function(ivm_host_process_test name)
    cmake_parse_arguments(arg "" "LABEL;TIMEOUT" "" ${ARGN})
    if(NOT arg_LABEL)
        set(arg_LABEL e2e)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    ivm_test(${name} LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
    target_link_libraries(${name} PRIVATE Qt6::Network)
    target_compile_definitions(${name} PRIVATE
        IVM_CTL="$<TARGET_FILE:ivmctl>" IVM_D="$<TARGET_FILE:ivmd>")
    add_dependencies(${name}
        ivmctl ivmd store_iceberg store_sqlite executor_duckdb detector_catalog
        executor_trino detector_trino)
endfunction()

function(ivm_jdbc_test name program timeout)
    add_dependencies(${program} executor_jdbc)
    ivm_run_test(${name} PROGRAM ${program} LABELS trino ${ARGN} TIMEOUT ${timeout}
        ENVIRONMENT IVM_TEST_ENGINE=trino IVM_TEST_EXECUTOR=jdbc)
endfunction()
