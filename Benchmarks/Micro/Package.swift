// swift-tools-version: 6.2
// Benchmarks of single steps, a package of its own. The sources are the product's, through
// symbolic links; the request parser's files are compiled in, because it is internal to `HTTP`, whose sockets are not
// wanted here, and the API is compiled for testing, because its plan cache has no public face.
import PackageDescription

let languageSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func target(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: languageSettings + settings)
}

let package = Package(
    name: "micro",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        target("JSON", []),
        target("GraphQL", ["JSON"]),
        target("Tables", ["CSQLite", "JSON"]),
        target("Transformer", ["GraphQL", "Tables"]),
        target("API", ["Transformer", "GraphQL", "Tables", "JSON"], [.unsafeFlags(["-enable-testing"])]),
        .executableTarget(
            name: "Micro", dependencies: ["API", "Transformer", "GraphQL", "Tables", "JSON", "CZlib"],
            swiftSettings: languageSettings),
    ],
    swiftLanguageModes: [.v6]
)
