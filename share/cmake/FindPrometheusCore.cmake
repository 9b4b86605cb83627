# PrometheusCore::PrometheusCore: prometheus-cpp's registry and text format. The package's own
# configuration also wants civetweb and curl, for parts that nothing here uses.
find_path(PrometheusCore_INCLUDE_DIR prometheus/registry.h)
find_library(PrometheusCore_LIBRARY prometheus-cpp-core)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PrometheusCore
    REQUIRED_VARS PrometheusCore_LIBRARY PrometheusCore_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install prometheus-cpp-dev")

if(PrometheusCore_FOUND AND NOT TARGET PrometheusCore::PrometheusCore)
    add_library(PrometheusCore::PrometheusCore UNKNOWN IMPORTED)
    set_target_properties(PrometheusCore::PrometheusCore PROPERTIES
        IMPORTED_LOCATION ${PrometheusCore_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${PrometheusCore_INCLUDE_DIR})
endif()
