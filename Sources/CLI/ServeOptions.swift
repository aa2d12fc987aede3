import ArgumentParser
import Server

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The options of the verbs that serve.
struct ServeOptions: ParsableArguments {
    @OptionGroup var project: ProjectOptions

    @Option(name: .long, help: Setting.host.argumentHelp("address"))
    var host: String?

    @Option(name: .long, help: Setting.port.argumentHelp("number"))
    var port: String?

    @Option(name: .long, help: Setting.listen.argumentHelp("HOST:PORT[,tls|,redirect]"))
    var listen: [String] = []

    @Option(name: .long, help: Setting.hosts.argumentHelp("name"))
    var hosts: [String] = []

    @Option(name: .long, help: Setting.tls.argumentHelp("off|auto|CERT,KEY"))
    var tls: [String] = []

    @Option(name: .long, help: Setting.tlsPort.argumentHelp("number"))
    var tlsPort: String?

    @Flag(name: .long, help: Setting.tlsOnly.argumentHelp(nil))
    var tlsOnly = false

    @Flag(name: .long, help: Setting.awsNames.argumentHelp(nil))
    var awsNames = false

    @Flag(name: .long, help: Setting.console.argumentHelp(nil))
    var console = false

    @Option(name: .long, help: Setting.apiKey.argumentHelp("key"))
    var apiKey: String?

    @Flag(name: .long, help: Setting.ephemeral.argumentHelp(nil))
    var ephemeral = false

    @Option(name: .long, help: Setting.log.argumentHelp("form"))
    var log: String?

    @Option(name: .long, help: Setting.logLevel.argumentHelp("level"))
    var logLevel: String?

    @Option(name: .long, help: Setting.readyFile.argumentHelp("path"))
    var readyFile: String?

    /// What these options and the environment say.
    func texts(for purpose: SettingTexts.Purpose) -> SettingTexts {
        var flags = project.flags
        flags[.host] = [host].compactMap(\.self)
        flags[.port] = [port].compactMap(\.self)
        flags[.listen] = listen
        flags[.hosts] = hosts
        flags[.tls] = tls
        flags[.tlsPort] = [tlsPort].compactMap(\.self)
        flags[.tlsOnly] = tlsOnly ? ["true"] : []
        flags[.awsNames] = awsNames ? ["true"] : []
        flags[.console] = console ? ["true"] : []
        flags[.apiKey] = [apiKey].compactMap(\.self)
        flags[.ephemeral] = ephemeral ? ["true"] : []
        flags[.log] = [log].compactMap(\.self)
        flags[.logLevel] = [logLevel].compactMap(\.self)
        flags[.readyFile] = [readyFile].compactMap(\.self)
        return SettingTexts(for: purpose, flags: flags, environment: environmentOfProcess)
    }
}
