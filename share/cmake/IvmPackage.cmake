# What other people build their plugins with: headers, static libraries and the CMake package
# IcebergIvm. See share/doc/writing_a_plugin.md.
include(CMakePackageConfigHelpers)

set(libraries base api sqlexec)
if(IVM_CONFORMANCE)
    list(APPEND libraries conformance)
endif()
set(headers framework/base framework/api framework/sqlexec)
set(targets ivm_options)
set_target_properties(ivm_options PROPERTIES EXPORT_NAME options)
foreach(library ${libraries})
    set_target_properties(ivm_${library} PROPERTIES EXPORT_NAME ${library})
    list(APPEND targets ivm_${library})
endforeach()

install(TARGETS ${targets} EXPORT IcebergIvm ARCHIVE DESTINATION lib/ivm/static)
foreach(folder ${headers})
    install(DIRECTORY ${folder}/ DESTINATION include/iceberg-ivm/${folder}
        FILES_MATCHING PATTERN "*.h")
endforeach()
if(IVM_CONFORMANCE)
    install(DIRECTORY tests/conformance/ DESTINATION include/iceberg-ivm/tests/conformance
        FILES_MATCHING PATTERN "*.h")
    install(FILES tests/support/fake_clock.h DESTINATION include/iceberg-ivm/tests/support)
endif()

set(package lib/cmake/IcebergIvm)
configure_package_config_file(share/cmake/IcebergIvmConfig.cmake.in
    ${CMAKE_BINARY_DIR}/share/IcebergIvmConfig.cmake INSTALL_DESTINATION ${package})
# Any patch of the version that is asked for; iceberg_ivm_plugin() then wants the very version.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/share/IcebergIvmConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(EXPORT IcebergIvm NAMESPACE IcebergIvm:: FILE IcebergIvmTargets.cmake
    DESTINATION ${package})
install(FILES
    ${CMAKE_BINARY_DIR}/share/IcebergIvmConfig.cmake
    ${CMAKE_BINARY_DIR}/share/IcebergIvmConfigVersion.cmake
    share/cmake/IcebergIvmPlugin.cmake
    DESTINATION ${package})
