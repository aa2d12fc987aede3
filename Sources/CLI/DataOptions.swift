import ArgumentParser
import Server

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The options of the verbs that only handle data.
struct DataOptions: ParsableArguments {
    @Option(name: .long, help: Setting.data.argumentHelp("folder"))
    var data: String?

    @Option(name: .long, help: Setting.config.argumentHelp("file"))
    var config: String?

    @OptionGroup var amplify: AmplifyOptions

    /// What these options and the environment say.
    var texts: SettingTexts {
        let own: [Setting: [String]] = [.data: [data].compactMap(\.self), .config: [config].compactMap(\.self)]
        // What is not served does not keep an operator from the data.
        return SettingTexts(
            for: .develop, flags: own.merging(amplify.flags) { $1 }, environment: environmentOfProcess,
            concernsSchema: false)
    }
}
