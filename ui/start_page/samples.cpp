// SPDX-License-Identifier: Apache-2.0
#include "ui/start_page/samples.h"

#include "core/device/known_devices.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <array>

namespace plimsoll::ui {

namespace {

struct Sample
{
    const char* file;
    const char* gpu;          ///< "": any
    const char* profile = ""; ///< title of a profile
};

constexpr std::array kSamples{
    Sample{"gpt2.plimsoll.json.gz", "rtx-4070"},
    Sample{"encoder_training.stand-in.pickle.gz", "", "Encoder, three steps"},
    Sample{"encoder_out_of_memory.stand-in.pickle.gz", "", "Encoder, out of memory"},
    Sample{"resnet18.plimsoll.json.gz", ""},
    Sample{"densenet121.plimsoll.json.gz", "rtx-4070"},
    Sample{"vit_b_16.plimsoll.json.gz", "rtx-4060"},
    Sample{"unet.plimsoll.json.gz", ""},
    Sample{"bert.plimsoll.json.gz", "rtx-4080"},
    Sample{"llama.plimsoll.json.gz", "rtx-4080"},
    Sample{"llama_7b.plimsoll.json.gz", ""},
    Sample{"gpt2_prompt.plimsoll.json.gz", ""},
};

QString fileOf(const Sample& sample)
{
    return QString::fromLatin1(sample.file);
}

} // namespace

QString sampleFolder()
{
    const QDir program{QCoreApplication::applicationDirPath()};
    for (const QString& folder : {program.filePath(QStringLiteral("../share/plimsoll/samples")),
                                  QStringLiteral(PLIMSOLL_SAMPLE_FOLDER)})
        if (QFileInfo{folder}.isDir())
            return QDir::cleanPath(folder);
    return {};
}

QStringList sampleFiles()
{
    const QString folder = sampleFolder();
    QStringList files;
    if (folder.isEmpty())
        return files;
    for (const Sample& sample : kSamples) {
        const QString path = folder + u'/' + fileOf(sample);
        if (QFileInfo::exists(path))
            files << path;
    }
    return files;
}

bool isSample(const QString& path)
{
    const QFileInfo file{path};
    return file.exists() && file.canonicalPath() == QFileInfo{sampleFolder()}.canonicalFilePath();
}

QString profileTitleOfSample(const QString& path)
{
    if (isSample(path))
        for (const Sample& sample : kSamples)
            if (QFileInfo{path}.fileName() == fileOf(sample))
                return QString::fromLatin1(sample.profile);
    return {};
}

std::optional<plan::Device> gpuOfSample(const QString& path)
{
    if (!isSample(path))
        return std::nullopt;
    for (const Sample& sample : kSamples)
        if (QFileInfo{path}.fileName() == fileOf(sample))
            if (const base::Result<plan::Device> device = plan::findDevice(sample.gpu))
                return *device;
    return std::nullopt;
}

} // namespace plimsoll::ui
