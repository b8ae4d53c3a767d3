//! How long each structure is that may stand in a chain which has to be copied.

use texemu_core::vk;
use vk::TaggedStructure;

macro_rules! structures {
    ($($name:ident,)*) => {
        /// Bytes of the structure that `s_type` names; `None` for structures newer than this list.
        pub(crate) fn size(s_type: vk::StructureType) -> Option<usize> {
            match s_type {
                $(<vk::$name<'static> as TaggedStructure>::STRUCTURE_TYPE => Some(size_of::<vk::$name<'static>>()),)*
                LOADER_DEVICE_CREATE_INFO => Some(32),
                VULKAN_1_4_FEATURES => Some(104),
                _ => None,
            }
        }
    };
}

/// `VkLayerDeviceCreateInfo` (vk_layer.h): the loader's own link in a device's chain.
const LOADER_DEVICE_CREATE_INFO: vk::StructureType = vk::StructureType::LOADER_DEVICE_CREATE_INFO;
/// `VkPhysicalDeviceVulkan14Features`, which the bindings do not know yet: 21 booleans.
const VULKAN_1_4_FEATURES: vk::StructureType = vk::StructureType::from_raw(55);

#[rustfmt::skip]
structures! {
    // Devices.
    DeviceDeviceMemoryReportCreateInfoEXT, DeviceDiagnosticsConfigCreateInfoNV,
    DeviceGroupDeviceCreateInfo, DeviceMemoryOverallocationCreateInfoAMD, DevicePrivateDataCreateInfo,
    DeviceQueueShaderCoreControlCreateInfoARM, PhysicalDevice16BitStorageFeatures,
    PhysicalDevice4444FormatsFeaturesEXT, PhysicalDevice8BitStorageFeatures,
    PhysicalDeviceASTCDecodeFeaturesEXT, PhysicalDeviceAccelerationStructureFeaturesKHR,
    PhysicalDeviceAddressBindingReportFeaturesEXT, PhysicalDeviceAmigoProfilingFeaturesSEC,
    PhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT,
    PhysicalDeviceBlendOperationAdvancedFeaturesEXT, PhysicalDeviceBorderColorSwizzleFeaturesEXT,
    PhysicalDeviceBufferDeviceAddressFeatures, PhysicalDeviceBufferDeviceAddressFeaturesEXT,
    PhysicalDeviceClusterCullingShaderFeaturesHUAWEI, PhysicalDeviceCoherentMemoryFeaturesAMD,
    PhysicalDeviceColorWriteEnableFeaturesEXT, PhysicalDeviceComputeShaderDerivativesFeaturesNV,
    PhysicalDeviceConditionalRenderingFeaturesEXT, PhysicalDeviceCooperativeMatrixFeaturesKHR,
    PhysicalDeviceCooperativeMatrixFeaturesNV, PhysicalDeviceCopyMemoryIndirectFeaturesNV,
    PhysicalDeviceCornerSampledImageFeaturesNV, PhysicalDeviceCoverageReductionModeFeaturesNV,
    PhysicalDeviceCubicClampFeaturesQCOM, PhysicalDeviceCubicWeightsFeaturesQCOM,
    PhysicalDeviceCudaKernelLaunchFeaturesNV, PhysicalDeviceCustomBorderColorFeaturesEXT,
    PhysicalDeviceDepthBiasControlFeaturesEXT, PhysicalDeviceDepthClampZeroOneFeaturesEXT,
    PhysicalDeviceDepthClipControlFeaturesEXT, PhysicalDeviceDepthClipEnableFeaturesEXT,
    PhysicalDeviceDescriptorBufferFeaturesEXT, PhysicalDeviceDescriptorIndexingFeatures,
    PhysicalDeviceDescriptorPoolOverallocationFeaturesNV,
    PhysicalDeviceDescriptorSetHostMappingFeaturesVALVE,
    PhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV,
    PhysicalDeviceDeviceGeneratedCommandsFeaturesNV, PhysicalDeviceDeviceMemoryReportFeaturesEXT,
    PhysicalDeviceDiagnosticsConfigFeaturesNV, PhysicalDeviceDisplacementMicromapFeaturesNV,
    PhysicalDeviceDynamicRenderingFeatures, PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR,
    PhysicalDeviceExclusiveScissorFeaturesNV, PhysicalDeviceExtendedDynamicState2FeaturesEXT,
    PhysicalDeviceExtendedDynamicState3FeaturesEXT, PhysicalDeviceExtendedDynamicStateFeaturesEXT,
    PhysicalDeviceExtendedSparseAddressSpaceFeaturesNV,
    PhysicalDeviceExternalFormatResolveFeaturesANDROID, PhysicalDeviceExternalMemoryRDMAFeaturesNV,
    PhysicalDeviceExternalMemoryScreenBufferFeaturesQNX, PhysicalDeviceFaultFeaturesEXT,
    PhysicalDeviceFeatures2, PhysicalDeviceFragmentDensityMap2FeaturesEXT,
    PhysicalDeviceFragmentDensityMapFeaturesEXT, PhysicalDeviceFragmentDensityMapOffsetFeaturesQCOM,
    PhysicalDeviceFragmentShaderBarycentricFeaturesKHR, PhysicalDeviceFragmentShaderInterlockFeaturesEXT,
    PhysicalDeviceFragmentShadingRateEnumsFeaturesNV, PhysicalDeviceFragmentShadingRateFeaturesKHR,
    PhysicalDeviceFrameBoundaryFeaturesEXT, PhysicalDeviceGlobalPriorityQueryFeaturesKHR,
    PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT, PhysicalDeviceHostImageCopyFeaturesEXT,
    PhysicalDeviceHostQueryResetFeatures, PhysicalDeviceImage2DViewOf3DFeaturesEXT,
    PhysicalDeviceImageCompressionControlFeaturesEXT, PhysicalDeviceImageProcessing2FeaturesQCOM,
    PhysicalDeviceImageProcessingFeaturesQCOM, PhysicalDeviceImageRobustnessFeatures,
    PhysicalDeviceImageSlicedViewOf3DFeaturesEXT, PhysicalDeviceImageViewMinLodFeaturesEXT,
    PhysicalDeviceImagelessFramebufferFeatures, PhysicalDeviceIndexTypeUint8FeaturesKHR,
    PhysicalDeviceInheritedViewportScissorFeaturesNV, PhysicalDeviceInlineUniformBlockFeatures,
    PhysicalDeviceInvocationMaskFeaturesHUAWEI, PhysicalDeviceLegacyDitheringFeaturesEXT,
    PhysicalDeviceLineRasterizationFeaturesKHR, PhysicalDeviceLinearColorAttachmentFeaturesNV,
    PhysicalDeviceMaintenance4Features, PhysicalDeviceMaintenance5FeaturesKHR,
    PhysicalDeviceMaintenance6FeaturesKHR, PhysicalDeviceMapMemoryPlacedFeaturesEXT,
    PhysicalDeviceMemoryDecompressionFeaturesNV, PhysicalDeviceMemoryPriorityFeaturesEXT,
    PhysicalDeviceMeshShaderFeaturesEXT, PhysicalDeviceMeshShaderFeaturesNV,
    PhysicalDeviceMultiDrawFeaturesEXT, PhysicalDeviceMultiviewFeatures,
    PhysicalDeviceMultiviewPerViewRenderAreasFeaturesQCOM,
    PhysicalDeviceMultiviewPerViewViewportsFeaturesQCOM, PhysicalDeviceMutableDescriptorTypeFeaturesEXT,
    PhysicalDeviceNestedCommandBufferFeaturesEXT, PhysicalDeviceNonSeamlessCubeMapFeaturesEXT,
    PhysicalDeviceOpacityMicromapFeaturesEXT, PhysicalDeviceOpticalFlowFeaturesNV,
    PhysicalDevicePageableDeviceLocalMemoryFeaturesEXT, PhysicalDevicePerStageDescriptorSetFeaturesNV,
    PhysicalDevicePerformanceQueryFeaturesKHR, PhysicalDevicePipelineCreationCacheControlFeatures,
    PhysicalDevicePipelineExecutablePropertiesFeaturesKHR,
    PhysicalDevicePipelineLibraryGroupHandlesFeaturesEXT, PhysicalDevicePipelinePropertiesFeaturesEXT,
    PhysicalDevicePipelineProtectedAccessFeaturesEXT, PhysicalDevicePipelineRobustnessFeaturesEXT,
    PhysicalDevicePortabilitySubsetFeaturesKHR, PhysicalDevicePresentBarrierFeaturesNV,
    PhysicalDevicePresentIdFeaturesKHR, PhysicalDevicePresentWaitFeaturesKHR,
    PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT,
    PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT, PhysicalDevicePrivateDataFeatures,
    PhysicalDeviceProtectedMemoryFeatures, PhysicalDeviceProvokingVertexFeaturesEXT,
    PhysicalDeviceRGBA10X6FormatsFeaturesEXT, PhysicalDeviceRawAccessChainsFeaturesNV,
    PhysicalDeviceRayQueryFeaturesKHR, PhysicalDeviceRayTracingInvocationReorderFeaturesNV,
    PhysicalDeviceRayTracingMaintenance1FeaturesKHR, PhysicalDeviceRayTracingMotionBlurFeaturesNV,
    PhysicalDeviceRayTracingPipelineFeaturesKHR, PhysicalDeviceRayTracingPositionFetchFeaturesKHR,
    PhysicalDeviceRayTracingValidationFeaturesNV, PhysicalDeviceRelaxedLineRasterizationFeaturesIMG,
    PhysicalDeviceRenderPassStripedFeaturesARM, PhysicalDeviceRepresentativeFragmentTestFeaturesNV,
    PhysicalDeviceRobustness2FeaturesEXT, PhysicalDeviceSamplerYcbcrConversionFeatures,
    PhysicalDeviceScalarBlockLayoutFeatures, PhysicalDeviceSchedulingControlsFeaturesARM,
    PhysicalDeviceSeparateDepthStencilLayoutsFeatures, PhysicalDeviceShaderAtomicFloat16VectorFeaturesNV,
    PhysicalDeviceShaderAtomicFloat2FeaturesEXT, PhysicalDeviceShaderAtomicFloatFeaturesEXT,
    PhysicalDeviceShaderAtomicInt64Features, PhysicalDeviceShaderClockFeaturesKHR,
    PhysicalDeviceShaderCoreBuiltinsFeaturesARM, PhysicalDeviceShaderDemoteToHelperInvocationFeatures,
    PhysicalDeviceShaderDrawParametersFeatures, PhysicalDeviceShaderEnqueueFeaturesAMDX,
    PhysicalDeviceShaderExpectAssumeFeaturesKHR, PhysicalDeviceShaderFloat16Int8Features,
    PhysicalDeviceShaderFloatControls2FeaturesKHR, PhysicalDeviceShaderImageAtomicInt64FeaturesEXT,
    PhysicalDeviceShaderImageFootprintFeaturesNV, PhysicalDeviceShaderIntegerDotProductFeatures,
    PhysicalDeviceShaderIntegerFunctions2FeaturesINTEL,
    PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR, PhysicalDeviceShaderModuleIdentifierFeaturesEXT,
    PhysicalDeviceShaderObjectFeaturesEXT, PhysicalDeviceShaderQuadControlFeaturesKHR,
    PhysicalDeviceShaderSMBuiltinsFeaturesNV, PhysicalDeviceShaderSubgroupExtendedTypesFeatures,
    PhysicalDeviceShaderSubgroupRotateFeaturesKHR, PhysicalDeviceShaderTerminateInvocationFeatures,
    PhysicalDeviceShaderTileImageFeaturesEXT, PhysicalDeviceShadingRateImageFeaturesNV,
    PhysicalDeviceSubgroupSizeControlFeatures, PhysicalDeviceSubpassMergeFeedbackFeaturesEXT,
    PhysicalDeviceSubpassShadingFeaturesHUAWEI, PhysicalDeviceSwapchainMaintenance1FeaturesEXT,
    PhysicalDeviceSynchronization2Features, PhysicalDeviceTexelBufferAlignmentFeaturesEXT,
    PhysicalDeviceTextureCompressionASTCHDRFeatures, PhysicalDeviceTilePropertiesFeaturesQCOM,
    PhysicalDeviceTimelineSemaphoreFeatures, PhysicalDeviceTransformFeedbackFeaturesEXT,
    PhysicalDeviceUniformBufferStandardLayoutFeatures, PhysicalDeviceVariablePointersFeatures,
    PhysicalDeviceVertexAttributeDivisorFeaturesKHR, PhysicalDeviceVertexInputDynamicStateFeaturesEXT,
    PhysicalDeviceVideoMaintenance1FeaturesKHR, PhysicalDeviceVulkan11Features,
    PhysicalDeviceVulkan12Features, PhysicalDeviceVulkan13Features,
    PhysicalDeviceVulkanMemoryModelFeatures, PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR,
    PhysicalDeviceYcbcr2Plane444FormatsFeaturesEXT, PhysicalDeviceYcbcrDegammaFeaturesQCOM,
    PhysicalDeviceYcbcrImageArraysFeaturesEXT, PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures,
    // Images, views and memory.
    BufferCollectionImageCreateInfoFUCHSIA, DedicatedAllocationImageCreateInfoNV,
    DedicatedAllocationMemoryAllocateInfoNV, ExportMemoryAllocateInfo, ExportMemoryAllocateInfoNV,
    ExportMemoryWin32HandleInfoKHR, ExportMemoryWin32HandleInfoNV, ExportMetalObjectCreateInfoEXT,
    ExternalFormatANDROID, ExternalFormatQNX, ExternalMemoryImageCreateInfo,
    ExternalMemoryImageCreateInfoNV, ImageCompressionControlEXT,
    ImageDrmFormatModifierExplicitCreateInfoEXT, ImageDrmFormatModifierListCreateInfoEXT,
    ImageFormatListCreateInfo, ImageStencilUsageCreateInfo, ImageSwapchainCreateInfoKHR,
    ImageViewASTCDecodeModeEXT, ImageViewMinLodCreateInfoEXT, ImageViewSampleWeightCreateInfoQCOM,
    ImageViewSlicedCreateInfoEXT, ImageViewUsageCreateInfo, ImportAndroidHardwareBufferInfoANDROID,
    ImportMemoryBufferCollectionFUCHSIA, ImportMemoryFdInfoKHR, ImportMemoryHostPointerInfoEXT,
    ImportMemoryWin32HandleInfoKHR, ImportMemoryWin32HandleInfoNV, ImportMemoryZirconHandleInfoFUCHSIA,
    ImportMetalBufferInfoEXT, ImportMetalIOSurfaceInfoEXT, ImportMetalTextureInfoEXT,
    ImportScreenBufferInfoQNX, MemoryAllocateFlagsInfo, MemoryDedicatedAllocateInfo,
    MemoryOpaqueCaptureAddressAllocateInfo, MemoryPriorityAllocateInfoEXT,
    OpaqueCaptureDescriptorDataCreateInfoEXT, OpticalFlowImageFormatInfoNV,
    PhysicalDeviceExternalImageFormatInfo, SamplerYcbcrConversionInfo, VideoProfileListInfoKHR,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_hold_a_header() {
        for s_type in [
            vk::StructureType::PHYSICAL_DEVICE_FEATURES_2,
            vk::StructureType::IMAGE_FORMAT_LIST_CREATE_INFO,
            LOADER_DEVICE_CREATE_INFO,
            VULKAN_1_4_FEATURES,
        ] {
            assert!(size(s_type).is_some_and(|size| size > 16 && size % 8 == 0), "{s_type:?}");
        }
        assert_eq!(size(vk::StructureType::from_raw(-1)), None, "an unknown structure has no size");
    }
}
