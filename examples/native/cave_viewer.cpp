// Irrlicht shows a cave that karst makes while the program runs, through the C interface: the mesh
// goes straight into the engine's vertices.
//     cave_viewer [SEED [PICTURE.png]]      with PICTURE it draws that and ends
#include <cstdio>
#include <exception>
#include <irrlicht/irrlicht.h>
#include <karst/karst.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

using namespace irr;

void check(karst_status status) {
    if (status != KARST_OK) {
        throw std::runtime_error(std::string(karst_status_name(status)) + ": " +
                                 karst_last_error());
    }
}

using Result = std::unique_ptr<karst_result, decltype(&karst_result_destroy)>;

Result make_cave(const char *seed) {
    karst_request *request = nullptr;
    check(karst_request_create("cave3d", &request));
    const std::unique_ptr<karst_request, decltype(&karst_request_destroy)> owner(
        request, karst_request_destroy);
    check(karst_request_set_seed_text(request, seed));
    check(karst_request_set_extent(request, 96, 96, 48));
    check(karst_request_set_cell(request, 0.5));
    check(karst_request_set_real(request, "passage_width", 5));
    check(karst_request_set_text(request, "roughness", "2"));
    check(karst_request_add_layer(request, "shell"));
    karst_result *result = nullptr;
    check(karst_run(request, nullptr, &result));
    return {result, karst_result_destroy};
}

// Part 0 of the shell as a mesh of the engine; prints its counts and its digest.
scene::SMesh *to_irrlicht(const karst_result *cave, u32 shell) {
    karst_mesh_part part{};
    part.struct_size = sizeof part;
    check(karst_result_part_at(cave, shell, 0, &part));
    auto *buffer = new scene::CDynamicMeshBuffer(video::EVT_STANDARD, video::EIT_32BIT);
    buffer->getVertexBuffer().set_used(static_cast<u32>(part.vertex_count));
    buffer->getIndexBuffer().set_used(static_cast<u32>(part.index_count));
    video::S3DVertex *vertices = buffer->getVertexBuffer().pointer();
    karst_mesh_buffers target{};
    target.struct_size = sizeof target;
    target.stride = sizeof(video::S3DVertex);
    target.vertex_capacity = part.vertex_count;
    target.index_capacity = part.index_count;
    target.positions = &vertices->Pos.X;
    target.normals = &vertices->Normal.X;
    target.uvs = &vertices->TCoords.X;
    target.indices = static_cast<u32 *>(buffer->getIndexBuffer().pointer());
    check(karst_result_copy_part(cave, shell, 0, &target));
    for (u32 i = 0; i < buffer->getVertexCount(); ++i) {
        vertices[i].Color = video::SColor(255, 190, 160, 130);
    }
    std::printf("%llu vertices, %llu triangles, digest 0x%016llx\n",
                static_cast<unsigned long long>(part.vertex_count),
                static_cast<unsigned long long>(part.index_count / 3),
                static_cast<unsigned long long>(part.digest));

    buffer->recalculateBoundingBox();
    auto *mesh = new scene::SMesh;
    mesh->addMeshBuffer(buffer);
    buffer->drop();
    mesh->recalculateBoundingBox();
    return mesh;
}

// One picture, off the screen.
void save(video::IVideoDriver *driver, scene::ISceneManager *scene, const char *picture) {
    const core::dimension2du size = driver->getScreenSize();
    video::ITexture *target = driver->addRenderTargetTexture(size, "picture");
    driver->beginScene();
    driver->setRenderTarget(target, true, true, video::SColor(255, 0, 0, 0));
    scene->drawAll();
    driver->setRenderTarget(nullptr);
    driver->endScene();
    // Without the alpha, which lights change too.
    video::IImage *drawn = driver->createImage(target, core::position2di(0, 0), size);
    video::IImage *image = driver->createImage(video::ECF_R8G8B8, size);
    drawn->copyTo(image);
    const bool written = driver->writeImageToFile(image, picture);
    drawn->drop();
    image->drop();
    if (!written) {
        throw std::runtime_error(std::string(picture) + " cannot be written");
    }
}

void show(const char *seed, const char *picture) {
    const Result cave = make_cave(seed);
    u32 shell = 0;
    check(karst_result_find_mesh(cave.get(), "shell", &shell));
    karst_socket entrance{};
    entrance.struct_size = sizeof entrance;
    check(karst_result_socket_at(cave.get(), shell, 0, &entrance));

    const std::unique_ptr<IrrlichtDevice, bool (*)(IrrlichtDevice *)> device(
        createDevice(video::EDT_OPENGL, core::dimension2du(640, 360), 24),
        [](IrrlichtDevice *made) { return made->drop(); });
    if (!device) {
        throw std::runtime_error("Irrlicht has no OpenGL here");
    }
    video::IVideoDriver *driver = device->getVideoDriver();
    scene::ISceneManager *scene = device->getSceneManager();
    scene::SMesh *mesh = to_irrlicht(cave.get(), shell);
    scene::IMeshSceneNode *node = scene->addMeshSceneNode(mesh);
    mesh->drop();
    // Irrlicht's z points the other way; what mirrors the node turns its triangles around too.
    node->setScale(core::vector3df(1, 1, -1));
    node->setMaterialFlag(video::EMF_BACK_FACE_CULLING, false);
    node->setMaterialFlag(video::EMF_FRONT_FACE_CULLING, true);
    node->setMaterialFlag(video::EMF_NORMALIZE_NORMALS, true);

    // In the mouth, with the eyes 1.7 m above the floor and a lamp in the hand.
    const auto &[x, y, z] = entrance.position;
    const core::vector3df mouth(x, y + 1.7F, -z);
    const core::vector3df inwards(entrance.forward[0], entrance.forward[1], -entrance.forward[2]);
    scene->addCameraSceneNode(nullptr, mouth, mouth + inwards)->setNearValue(0.1F);
    scene
        ->addLightSceneNode(nullptr, mouth + core::vector3df(0.3F, -0.4F, 0),
                            video::SColorf(1.5F, 1.35F, 1.1F))
        ->getLightData()
        .Attenuation.set(0.8F, 0.03F, 0.004F);
    scene->setAmbientLight(video::SColorf(0.06F, 0.07F, 0.1F));
    if (picture != nullptr) {
        save(driver, scene, picture);
        return;
    }
    while (device->run()) {
        driver->beginScene();
        scene->drawAll();
        driver->endScene();
    }
}

} // namespace

int main(int argc, char **argv) {
    try {
        show(argc > 1 ? argv[1] : "12", argc > 2 ? argv[2] : nullptr);
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "cave_viewer: %s\n", error.what());
        return 1;
    }
}
