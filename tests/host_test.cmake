# Tests of the whole, with the real plugins.
#
#   ivm_host_test(NAME LABEL [SOURCE …])   one program
#   ivm_scenario_test(NAME [ENGINE …])     NAME.cpp, told in a Scenario, once for each engine (all,
#                                          where none is named): IVM_TEST_ENGINE in the source
#   ivm_jdbc_test(NAME PROGRAM [LABEL])    PROGRAM once more, with Trino reached through JDBC
#   ivm_host_process_test(NAME [LABEL label] [TIMEOUT seconds])
#                                          NAME.cpp, with ivmd and ivmctl as processes

function(ivm_host_test name label)
    ivm_test(${name} SOURCES ${ARGN} LINK ivm_history ivm_host LABELS ${label} TIMEOUT 1500)
    target_compile_definitions(${name} PRIVATE IVM_TEST_PLUGINS="${IVM_PLUGIN_DIR}")
    add_dependencies(${name}
        executor_duckdb executor_trino detector_catalog detector_trino store_iceberg store_sqlite)
endfunction()

function(ivm_scenario_test name)
    set(engines ${ARGN})
    if(NOT engines)
        set(engines Embedded Trino)
    endif()
    foreach(engine ${engines})
        string(TOLOWER ${engine} suffix)
        if(engine STREQUAL Trino)
            set(label trino)
        else()
            set(label e2e)
        endif()
        ivm_host_test(${name}_${suffix} ${label} ${name}.cpp)
        target_link_libraries(${name}_${suffix} PRIVATE ivm_scenario)
        target_compile_definitions(${name}_${suffix} PRIVATE IVM_TEST_ENGINE=${engine})
    endforeach()
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

function(ivm_jdbc_test name program)
    add_dependencies(${program} executor_jdbc)
    get_test_property(${program} TIMEOUT timeout)
    get_test_property(${program} ENVIRONMENT environment)
    add_test(NAME ${name} COMMAND ${IVM_TEST_LAUNCHER} $<TARGET_FILE:${program}>)
    set_tests_properties(${name} PROPERTIES LABELS "trino;${ARGN}" TIMEOUT ${timeout}
        ENVIRONMENT "${environment};IVM_TEST_EXECUTOR=jdbc")
endfunction()
