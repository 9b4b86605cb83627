// A scene on the embedded engine whose folder can be put back to an earlier state.
//
// One thread.
#pragma once

#include "tests/e2e/crash/scene.h"

#include <filesystem>

namespace ivm::test {

class SavedScene : public Scene {
public:
    using Scene::Scene;

    // The folder keeps its name, since tables know their files by whole paths.
    void save(const QString &name) { copy(program().folder(), m_saved.filePath(name)); }
    void restore(const QString &name) { copy(m_saved.filePath(name), program().folder()); }

private:
    static void copy(const QString &from, const QString &to)
    {
        namespace fs = std::filesystem;
        const fs::path target(to.toStdString());
        fs::create_directories(target);
        for (const auto &entry : fs::directory_iterator(target))
            fs::remove_all(entry.path());
        fs::copy(from.toStdString(), target, fs::copy_options::recursive);
    }

    QTemporaryDir m_saved;
};

}  // namespace ivm::test
