/// What this program is, for `/metrics`.
public enum BuildInformation {
    /// The version of this program.
    public static let version = "0.1.0"

    /// The version of the Swift compiler that it was compiled with, as far as the language can ask.
    static let swiftVersion: String = {
        #if compiler(>=7)
        "7"
        #elseif compiler(>=6.5)
        "6.5"
        #elseif compiler(>=6.4)
        "6.4"
        #elseif compiler(>=6.3)
        "6.3"
        #elseif compiler(>=6.2)
        "6.2"
        #else
        "6"
        #endif
    }()

    static let family = MetricFamily(
        name: "syncline_build_info", kind: .gauge, help: "Which program this is; always 1.",
        samples: [.init(labels: [("version", version), ("swift", swiftVersion)], value: "1")])
}
