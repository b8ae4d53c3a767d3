// A host with a Vulkan device of its own that loads an ASTC texture through libtexemu, on a device that need not know ASTC.
//
//     embed [--validate] TEXTURE.astc [EXPECTED.rgba]
//
// It uploads the texture, blits it into an RGBA8 image as a renderer would sample it, reads both the texels and the original
// blocks back, and compares: the texels with EXPECTED.rgba if it is given (width x height x 4 bytes), the blocks with the file's.
// docs/c-api.md walks through it.
//
//     cc embed.c $(pkg-config --cflags --libs texemu) -lvulkan -o embed
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <texemu.h>
#include <vulkan/vulkan.h>

static int messages;

static void fail(const char *what) {
    fprintf(stderr, "embed: %s\n", what);
    exit(1);
}

static void check(VkResult result, const char *what) {
    if (result != VK_SUCCESS) {
        const char *why = texemu_last_error_message();
        fprintf(stderr, "embed: %s: %d%s%s\n", what, (int)result, *why ? ": " : "", why);
        exit(1);
    }
}
#define CHECK(call) check((call), #call)

static unsigned char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail("cannot open a file");
    long length = ftell(file);
    if (length < 0) fail("cannot measure a file");
    rewind(file);
    unsigned char *bytes = malloc((size_t)length + 1);
    if (!bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length) fail("cannot read a file");
    fclose(file);
    *size = (size_t)length;
    return bytes;
}

// ---------------------------------------------------------------------------------------------------------------------
// The texture

typedef struct texture {
    VkFormat format;
    VkExtent3D extent;
    const unsigned char *blocks;
    size_t size;
} texture;

// The UNORM format of a footprint: the table is the library's.
static VkFormat astc_format(uint32_t width, uint32_t height) {
    uint32_t count = 0;
    CHECK(texemu_get_source_formats(&count, NULL));
    VkFormat *formats = malloc(count * sizeof *formats);
    if (!formats) fail("no memory");
    CHECK(texemu_get_source_formats(&count, formats));
    VkFormat found = VK_FORMAT_UNDEFINED;
    for (uint32_t i = 0; i < count && found == VK_FORMAT_UNDEFINED; i++) {
        texemu_format_info info = {.struct_size = sizeof info};
        CHECK(texemu_get_format_info(formats[i], &info));
        if (!strncmp(info.name, "ASTC", 4) && strstr(info.name, "UNORM") && info.footprint[0] == width &&
            info.footprint[1] == height)
            found = formats[i];
    }
    free(formats);
    return found;
}

static texture load_astc(const char *path) {
    size_t size;
    unsigned char *file = read_file(path, &size);
    static const unsigned char magic[4] = {0x13, 0xAB, 0xA1, 0x5C};
    if (size < 16 || memcmp(file, magic, 4)) fail("not an .astc file");
    texture texture = {.extent = {.depth = 1}, .blocks = file + 16, .size = size - 16};
    texture.extent.width = file[7] | (uint32_t)file[8] << 8 | (uint32_t)file[9] << 16;
    texture.extent.height = file[10] | (uint32_t)file[11] << 8 | (uint32_t)file[12] << 16;
    texture.format = astc_format(file[4], file[5]);
    if (texture.format == VK_FORMAT_UNDEFINED) fail("a footprint that is not one of ASTC's");
    return texture;
}

// ---------------------------------------------------------------------------------------------------------------------
// The host: nothing here knows of texemu, but for what it asks before the device is made

typedef struct host {
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
} host;

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
    (void)severity, (void)types, (void)user;
    fprintf(stderr, "validation: %s\n", data->pMessage);
    messages++;
    return VK_FALSE;
}

static void create_instance(host *host, int validate) {
    static const char *layers[] = {"VK_LAYER_KHRONOS_validation"};
    static const char *extensions[] = {"VK_EXT_debug_utils"};
    static const VkValidationFeatureEnableEXT enables[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
    };
    VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &messenger,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = enables,
    };
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "embed",
                                     .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    if (validate) {
        info.pNext = &features;
        info.enabledLayerCount = 1, info.ppEnabledLayerNames = layers;
        info.enabledExtensionCount = 1, info.ppEnabledExtensionNames = extensions;
    }
    CHECK(vkCreateInstance(&info, NULL, &host->instance));
    if (validate) {
        PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
            host->instance, "vkCreateDebugUtilsMessengerEXT");
        CHECK(create(host->instance, &messenger, NULL, &host->messenger));
    }
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(host->instance, &count, &host->physical_device);
    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || !count) fail("no Vulkan device");
}

static void choose_family(host *host) {
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(host->physical_device, &count, families);
    const VkQueueFlags needed = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (host->family = 0; host->family < count; host->family++)
        if ((families[host->family].queueFlags & needed) == needed) return;
    fail("no queue family with graphics and compute");
}

// Creates the device as the host would, with what the kernels need added, and lends it to texemu.
static texemu_gpu *create_device(host *host, const texemu_offer *offer) {
    static const float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = host->family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    // An application on an emulated device may ask for this one though the device lacks it.
    VkPhysicalDeviceFeatures wishes = {.textureCompressionASTC_LDR = VK_TRUE};
    VkDeviceCreateInfo wanted = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue,
                                 .pEnabledFeatures = &wishes};
    texemu_device_create_info *amended;
    CHECK(texemu_offer_amend_device(offer, &wanted, &amended));
    CHECK(vkCreateDevice(host->physical_device, texemu_device_create_info_get(amended), NULL, &host->device));
    vkGetDeviceQueue(host->device, host->family, 0, &host->queue);

    texemu_host_device lent = {
        .struct_size = sizeof lent,
        .queue_family_index = host->family,
        .get_instance_proc_addr = vkGetInstanceProcAddr,
        .instance = host->instance,
        .physical_device = host->physical_device,
        .device = host->device,
        .device_create_info = texemu_device_create_info_get(amended),
        .api_version = VK_API_VERSION_1_1,
    };
    texemu_gpu *gpu;
    CHECK(texemu_gpu_borrow(&lent, &gpu));
    texemu_device_create_info_destroy(amended);

    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = host->family};
    CHECK(vkCreateCommandPool(host->device, &pool, NULL, &host->pool));
    return gpu;
}

static VkDeviceMemory allocate(const host *host, VkMemoryRequirements needs, VkMemoryPropertyFlags flags) {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(host->physical_device, &memory);
    for (uint32_t type = 0; type < memory.memoryTypeCount; type++) {
        if (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & flags) != flags) continue;
        VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size,
                                     .memoryTypeIndex = type};
        VkDeviceMemory allocated;
        CHECK(vkAllocateMemory(host->device, &info, NULL, &allocated));
        return allocated;
    }
    fail("no memory of the kind that is needed");
    return VK_NULL_HANDLE;
}

typedef struct buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    unsigned char *bytes;
} buffer;

static buffer create_buffer(const host *host, VkDeviceSize size, VkBufferUsageFlags usage) {
    buffer buffer;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    CHECK(vkCreateBuffer(host->device, &info, NULL, &buffer.handle));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(host->device, buffer.handle, &needs);
    buffer.memory =
        allocate(host, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(vkBindBufferMemory(host->device, buffer.handle, buffer.memory, 0));
    void *bytes;
    CHECK(vkMapMemory(host->device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &bytes));
    buffer.bytes = bytes;
    return buffer;
}

static void destroy_buffer(const host *host, buffer buffer) {
    vkDestroyBuffer(host->device, buffer.handle, NULL);
    vkFreeMemory(host->device, buffer.memory, NULL);
}

static VkImageCreateInfo image_info(VkFormat format, VkExtent3D extent, VkImageUsageFlags usage) {
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = extent,
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = usage};
    return info;
}

static void transition(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to) {
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = from == VK_IMAGE_LAYOUT_UNDEFINED ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    const VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkPipelineStageFlags before = from == VK_IMAGE_LAYOUT_UNDEFINED ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : transfer;
    vkCmdPipelineBarrier(commands, before, transfer, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void submit_and_wait(const host *host, VkCommandBuffer commands) {
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    CHECK(vkCreateFence(host->device, &info, NULL, &fence));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    CHECK(vkQueueSubmit(host->queue, 1, &submit, fence));
    CHECK(vkWaitForFences(host->device, 1, &fence, VK_TRUE, UINT64_MAX));
    vkDestroyFence(host->device, fence, NULL);
}

// ---------------------------------------------------------------------------------------------------------------------
// The emulated image

// As vkCreateImage, vkGetImageMemoryRequirements and vkBindImageMemory, but each asks texemu first.
static VkImage create_emulated(const host *host, const texemu_emulator *emulator, const texture *texture,
                               VkDeviceMemory *memory) {
    VkImageCreateInfo info =
        image_info(texture->format, texture->extent,
                   VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    VkImage image;
    CHECK(texemu_create_image(emulator, &info, NULL, &image));
    VkMemoryRequirements needs;
    CHECK(texemu_get_image_memory_requirements(emulator, image, &needs));
    *memory = allocate(host, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    CHECK(texemu_bind_image_memory(emulator, image, *memory, 0));
    return image;
}

static size_t differing(const unsigned char *a, const unsigned char *b, size_t elements, size_t bytes) {
    size_t count = 0;
    for (size_t i = 0; i < elements; i++) count += memcmp(a + i * bytes, b + i * bytes, bytes) != 0;
    return count;
}

static void run(const host *host, const texemu_emulator *emulator, const texture *texture, const char *expected) {
    const size_t texels = (size_t)texture->extent.width * texture->extent.height;
    VkDeviceMemory memory, drawn_memory;
    VkImage image = create_emulated(host, emulator, texture, &memory);

    // A view is made by texemu as well; descriptors and samplers then need nothing of it.
    VkImageViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = texture->format,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkImageView view;
    CHECK(texemu_create_image_view(emulator, &view_info, NULL, &view));

    // What the texture is blitted into: an image that texemu has no part in.
    VkImageCreateInfo drawn_info = image_info(VK_FORMAT_R8G8B8A8_UNORM, texture->extent,
                                              VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    VkImage drawn;
    CHECK(vkCreateImage(host->device, &drawn_info, NULL, &drawn));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(host->device, drawn, &needs);
    drawn_memory = allocate(host, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    CHECK(vkBindImageMemory(host->device, drawn, drawn_memory, 0));

    // The decoder reads the upload buffer itself, without a copy, if it may.
    buffer upload = create_buffer(host, texture->size,
                                  VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
    buffer picture = create_buffer(host, texels * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    buffer blocks = create_buffer(host, texture->size, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    memcpy(upload.bytes, texture->blocks, texture->size);

    VkCommandBufferAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = host->pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(host->device, &allocation, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(commands, &begin));
    texemu_recording *recording;
    CHECK(texemu_recording_create(emulator, TEXEMU_QUEUE_COMPUTE, &recording));

    const VkImageLayout undefined = VK_IMAGE_LAYOUT_UNDEFINED;
    const VkImageLayout src = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dst = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    VkBufferImageCopy whole = {.imageSubresource = layers, .imageExtent = texture->extent};

    // The application's own barriers: the emulated copy is a TRANSFER write to them.
    transition(commands, image, undefined, dst);
    CHECK(texemu_cmd_copy_buffer_to_image(emulator, commands, recording, TEXEMU_SOURCE_ACCESS_TEXEL_BUFFER,
                                          upload.handle, image, dst, 1, &whole));
    transition(commands, image, dst, src);
    transition(commands, drawn, undefined, dst);
    const VkOffset3D end = {(int32_t)texture->extent.width, (int32_t)texture->extent.height, 1};
    VkImageBlit blit = {
        .srcSubresource = layers, .srcOffsets = {{0}, end}, .dstSubresource = layers, .dstOffsets = {{0}, end}};
    vkCmdBlitImage(commands, image, src, drawn, dst, 1, &blit, VK_FILTER_NEAREST);
    transition(commands, drawn, dst, src);
    vkCmdCopyImageToBuffer(commands, drawn, src, picture.handle, 1, &whole);
    // From the emulated image come the original blocks.
    CHECK(texemu_cmd_copy_image_to_buffer(emulator, commands, recording, image, blocks.handle, 1, &whole));
    VkMemoryBarrier host_reads = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &host_reads, 0,
                         NULL, 0, NULL);
    CHECK(vkEndCommandBuffer(commands));
    submit_and_wait(host, commands);
    // The fence has passed, so the pool may have it back.
    texemu_recording_destroy(recording);

    texemu_image_report report = {.struct_size = sizeof report};
    CHECK(texemu_describe_image(emulator, image, &report));
    texemu_format_info stored = {.struct_size = sizeof stored};
    CHECK(texemu_get_format_info(report.target, &stored));
    printf("%u x %u stored as %s: %llu bytes decoded, %llu of blocks\n", texture->extent.width, texture->extent.height,
           stored.name, (unsigned long long)report.decoded_bytes, (unsigned long long)report.compressed_bytes);
    texemu_format_statistics statistics = {.struct_size = sizeof statistics};
    CHECK(texemu_get_format_statistics(emulator, texture->format, &statistics));
    printf("%llu blocks decoded in %llu dispatches\n", (unsigned long long)statistics.blocks,
           (unsigned long long)statistics.dispatches);

    if (expected) {
        size_t size;
        unsigned char *wanted = read_file(expected, &size);
        if (size != texels * 4) fail("EXPECTED.rgba has another size");
        size_t wrong = differing(picture.bytes, wanted, texels, 4);
        free(wanted);
        if (wrong) {
            fprintf(stderr, "embed: %zu of %zu texels differ\n", wrong, texels);
            exit(1);
        }
        printf("%zu texels as expected\n", texels);
    }
    if (differing(blocks.bytes, texture->blocks, texture->size / 16, 16)) fail("blocks came back changed");
    printf("blocks read back as written\n");

    vkDestroyImageView(host->device, view, NULL);
    CHECK(texemu_destroy_image(emulator, image, NULL));
    vkFreeMemory(host->device, memory, NULL);
    vkDestroyImage(host->device, drawn, NULL);
    vkFreeMemory(host->device, drawn_memory, NULL);
    destroy_buffer(host, upload);
    destroy_buffer(host, picture);
    destroy_buffer(host, blocks);
}

int main(int argc, char **argv) {
    int validate = argc > 1 && !strcmp(argv[1], "--validate");
    argc -= validate, argv += validate;
    if (argc < 2) fail("usage: embed [--validate] TEXTURE.astc [EXPECTED.rgba]");
    if (texemu_version() >> 12 != VK_MAKE_API_VERSION(0, TEXEMU_VERSION_MAJOR, TEXEMU_VERSION_MINOR, 0) >> 12)
        fail("the library is of another version than texemu.h");
    texture texture = load_astc(argv[1]);
    host host = {0};
    create_instance(&host, validate);
    choose_family(&host);

    // Emulate even where the device has the format, so that the example shows the same everywhere.
    texemu_settings settings = {.struct_size = sizeof settings, .force = VK_TRUE};
    texemu_offer *offer;
    CHECK(texemu_offer_create(vkGetInstanceProcAddr, host.instance, host.physical_device, &settings, &offer));
    VkFormatProperties properties;
    CHECK(texemu_offer_get_format_properties(offer, texture.format, &properties));
    if (!(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)) fail("the format cannot be had");

    texemu_gpu *gpu = create_device(&host, offer);
    texemu_offer_destroy(offer);
    texemu_emulator *emulator;
    CHECK(texemu_emulator_create(gpu, &settings, &host.family, 1, &emulator));
    run(&host, emulator, &texture, argc > 2 ? argv[2] : NULL);
    texemu_emulator_destroy(emulator);
    texemu_gpu_destroy(gpu);

    vkDestroyCommandPool(host.device, host.pool, NULL);
    vkDestroyDevice(host.device, NULL);
    if (host.messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy = (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
            host.instance, "vkDestroyDebugUtilsMessengerEXT");
        destroy(host.instance, host.messenger, NULL);
    }
    vkDestroyInstance(host.instance, NULL);
    free((void *)(texture.blocks - 16));
    if (validate) printf("validation: %s\n", messages ? "not silent" : "silent");
    return messages ? 1 : 0;
}
