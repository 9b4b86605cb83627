# How every target of this project is built: language, warnings, folders, and the three kinds of
# target.
#
#   ivm_library(NAME SOURCES … LINK …)   a static library of framework/
#   ivm_plugin(NAME SOURCES … LINK …)    a Qt plugin, placed in lib/ivm/plugins
#   ivm_test(NAME [SOURCES …] [LINK …] [LABELS …] [TIMEOUT s])
#                                        one Qt Test program and its ctest (by default of the label
#                                        `unit`)
#   ivm_test_program(NAME [SOURCES …] [LINK …])
#   ivm_run_test(NAME PROGRAM … [LABELS …] [TIMEOUT s] [ENVIRONMENT …])
#                                        the two by themselves, for a program with several ctests

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_AUTOMOC OFF)

set(IVM_PLUGIN_DIR ${CMAKE_BINARY_DIR}/lib/ivm/plugins)
set(IVM_SANITIZE "" CACHE STRING
    "Sanitizers, as for -fsanitize=: 'address,undefined' or 'thread'")
option(IVM_WERROR "Warnings are errors" OFF)
option(IVM_COVERAGE "Count which lines of the product are reached (gcc's gcov)" OFF)

find_program(IVM_CCACHE ccache)
if(IVM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers carry times that ccache would otherwise take for a change; and a clone in
    # another folder is the same source.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${IVM_CCACHE})
endif()

add_library(ivm_options INTERFACE)
target_include_directories(ivm_options INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<INSTALL_INTERFACE:include/iceberg-ivm>)
target_compile_features(ivm_options INTERFACE cxx_std_23)
# How other people's plugins are written is theirs.
foreach(definition QT_NO_KEYWORDS QT_NO_FOREACH QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII
        QT_USE_QSTRINGBUILDER)
    target_compile_definitions(ivm_options INTERFACE $<BUILD_INTERFACE:${definition}>)
endforeach()
# QString's own inline code converts signs all over; narrowing of values stays on.
foreach(flag -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
        -Wno-sign-conversion $<$<BOOL:${IVM_WERROR}>:-Werror> -fpch-preprocess)
    target_compile_options(ivm_options INTERFACE $<BUILD_INTERFACE:${flag}>)
endforeach()
# A precompiled header alone fills the heap at which gcc begins to collect; the memory for not doing
# so is some 50 MB, and an eighth of the time is won.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(ivm_options INTERFACE
        $<BUILD_INTERFACE:--param=ggc-min-heapsize=1048576>)
endif()
if(IVM_SANITIZE)
    target_compile_options(ivm_options INTERFACE -fsanitize=${IVM_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(ivm_options INTERFACE -fsanitize=${IVM_SANITIZE})
endif()

# Of the product alone, unoptimized so that lines stay what they are; the tests are built as ever.
set(IVM_COVERAGE_OPTIONS "")
if(IVM_COVERAGE)
    set(IVM_COVERAGE_OPTIONS --coverage -O0 -fprofile-abs-path -fprofile-update=atomic)
    target_link_options(ivm_options INTERFACE --coverage)
endif()

# Frames under a sanitizer are several times as large, and the deepest text that the parser takes
# needs them all.
set(IVM_TEST_LAUNCHER "")
set(IVM_TEST_ENVIRONMENT "")
if(IVM_SANITIZE)
    set(IVM_TEST_LAUNCHER prlimit --stack=67108864)
    set(IVM_TEST_ENVIRONMENT "TSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/tsan.supp")
endif()

# Two precompiled headers for the whole tree, the product's and the tests': Qt's containers and
# strings are most of each compilation.
set(IVM_PRECOMPILED <QString> <QStringView> <QList> <QMap> <QHash> <QJsonObject> <QJsonArray>
    <QByteArray> <QDateTime> <expected> <memory> <optional> <variant> <vector> <functional> <chrono>
    <stop_token>)

function(ivm_precompile target)
    target_compile_options(${target} PRIVATE ${IVM_COVERAGE_OPTIONS})
    if(target STREQUAL ivm_base)
        target_precompile_headers(ivm_base PRIVATE ${IVM_PRECOMPILED})
    else()
        target_precompile_headers(${target} REUSE_FROM ivm_base)
    endif()
endfunction()

function(ivm_precompile_test target)
    if(NOT TARGET ivm_test_header)
        # Definitions that QTest looks at differ from test to test (the folder's name for
        # QFINDTESTDATA, comparing of QHostAddress), and tests that differ cannot share a header.
        set_target_properties(Qt6::Test PROPERTIES INTERFACE_COMPILE_DEFINITIONS QT_TESTLIB_LIB)
        set_target_properties(Qt6::Network PROPERTIES INTERFACE_COMPILE_DEFINITIONS "")
        file(WRITE ${CMAKE_BINARY_DIR}/test_header.cpp "")
        add_library(ivm_test_header OBJECT ${CMAKE_BINARY_DIR}/test_header.cpp)
        target_link_libraries(ivm_test_header PRIVATE ivm_options Qt6::Test)
        target_precompile_headers(ivm_test_header PRIVATE ${IVM_PRECOMPILED} <QTest>)
    endif()
    target_precompile_headers(${target} REUSE_FROM ivm_test_header)
endfunction()

function(ivm_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC ivm_options Qt6::Core ${arg_LINK})
    ivm_precompile(${name})
endfunction()

function(ivm_plugin name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_library(${name} MODULE ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ivm_options Qt6::Core ivm_api ${arg_LINK})
    set_target_properties(${name} PROPERTIES
        AUTOMOC ON LIBRARY_OUTPUT_DIRECTORY ${IVM_PLUGIN_DIR} PREFIX "lib")
    target_compile_definitions(${name} PRIVATE QT_PLUGIN)
    ivm_precompile(${name})
endfunction()

# moc by itself: AUTOMOC adds to each program two steps, and a file to compile that has nothing in
# it.
function(ivm_moc target)
    foreach(source ${ARGN})
        file(STRINGS ${source} objects REGEX "^ *Q_OBJECT" LIMIT_COUNT 1)
        if(objects)
            cmake_path(GET source STEM stem)
            qt6_generate_moc(${source} ${CMAKE_CURRENT_BINARY_DIR}/${stem}.moc TARGET ${target})
            target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${stem}.moc)
        endif()
    endforeach()
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

function(ivm_test_program name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    if(NOT arg_SOURCES)
        set(arg_SOURCES ${name}.cpp)
    endif()
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ivm_options Qt6::Test ivm_base ${arg_LINK})
    target_compile_definitions(${name} PRIVATE IVM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    ivm_precompile_test(${name})
    ivm_moc(${name} ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endfunction()

function(ivm_run_test name)
    cmake_parse_arguments(arg "" "PROGRAM;TIMEOUT" "LABELS;ENVIRONMENT" ${ARGN})
    if(NOT arg_LABELS)
        set(arg_LABELS unit)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 20)
    endif()
    if(IVM_SANITIZE)
        math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
    endif()
    list(APPEND arg_ENVIRONMENT
        LC_ALL=C.UTF-8 QTEST_FUNCTION_TIMEOUT=${arg_TIMEOUT}000 ${IVM_TEST_ENVIRONMENT})
    add_test(NAME ${name} COMMAND ${IVM_TEST_LAUNCHER} $<TARGET_FILE:${arg_PROGRAM}>)
    set_tests_properties(${name} PROPERTIES
        LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()

function(ivm_test name)
    cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
    ivm_test_program(${name} SOURCES ${arg_SOURCES} LINK ${arg_LINK})
    ivm_run_test(${name} PROGRAM ${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
endfunction()
