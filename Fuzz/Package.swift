// swift-tools-version: 6.2
// Coverage-guided fuzzers, a package of its own so that the product never sees the sanitizers. The sources under test
// are the product's, through symbolic links, and carry the same instrumentation as the fuzzers.
import PackageDescription

let sanitizers = ["-sanitize=fuzzer,address"]

let languageSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// `-g`, so that a finding's stack names lines.
let swiftSettings = languageSettings + [.unsafeFlags(sanitizers + ["-g"])]

func target(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + ["Fuzzing"],
        swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])],
        linkerSettings: [.unsafeFlags(sanitizers + ["-use-ld=lld"])])
}

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "LibFuzzer"),
        .target(name: "Fuzzing", dependencies: ["LibFuzzer"], swiftSettings: languageSettings),
        target("Encodings", []),
        target("JSON", ["Encodings"]),
        target("GraphQL", ["JSON", "Encodings"]),
        fuzzer("JSONFuzzer", ["JSON"]),
        fuzzer("DocumentFuzzer", ["GraphQL"]),
        fuzzer("SchemaFuzzer", ["GraphQL"]),
        // The parser's own files are compiled in, because it is internal to `HTTP`, whose sockets are not fuzzed.
        fuzzer("RequestFuzzer", ["CZlib"]),
        fuzzer("WebSocketFuzzer", ["Encodings"]),
        // Only the realtime protocol of `API`, which needs no database.
        target("API", ["JSON", "Encodings"]),
        fuzzer("RealtimeFuzzer", ["API", "JSON"]),
        // What reads a request of `Analytics`, which needs no database.
        fuzzer("EventsFuzzer", ["JSON", "Encodings"]),
        // What reads the bodies of requests to `Buckets`. Hashes and signatures have stand-ins.
        .target(name: "Crypto", swiftSettings: languageSettings),
        .target(name: "AWSSignature", swiftSettings: languageSettings),
        fuzzer("XMLFuzzer", []),
        fuzzer("ChunksFuzzer", ["AWSSignature", "Crypto", "Encodings"]),
        // What reads the head of a connection to the forward proxy, and judges its target. Of `HTTP` only how hosts are read.
        target("HTTP", []),
        fuzzer("ProxyFuzzer", ["Crypto", "Encodings", "HTTP"]),
    ],
    swiftLanguageModes: [.v6]
)
