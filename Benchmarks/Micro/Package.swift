// swift-tools-version: 6.2
// Benchmarks of parts of the product, a package of its own: Micro measures single steps, Bodies is a server that streams
// files. The sources are the product's, through symbolic links; HTTP and the API are compiled for testing, because the
// request parser and the plan cache are internal.
import PackageDescription

let languageSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func target(_ name: String, _ dependencies: [Target.Dependency], isTestable: Bool = false) -> Target {
    let settings = isTestable ? languageSettings + [.unsafeFlags(["-enable-testing"])] : languageSettings
    return .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "micro",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        target("Encodings", []),
        target("JSON", ["Encodings"]),
        target("GraphQL", ["JSON", "Encodings"]),
        target("Tables", ["CSQLite", "JSON"]),
        target(
            "HTTP",
            [
                "Encodings", "CZlib",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ], isTestable: true),
        target("Transformer", ["GraphQL", "Tables"]),
        target("API", ["Transformer", "GraphQL", "Tables", "JSON", "Encodings"], isTestable: true),
        .executableTarget(
            name: "Micro", dependencies: ["API", "Transformer", "GraphQL", "Tables", "HTTP", "JSON"],
            swiftSettings: languageSettings),
        .executableTarget(name: "Bodies", dependencies: ["HTTP"], swiftSettings: languageSettings),
    ],
    swiftLanguageModes: [.v6]
)
