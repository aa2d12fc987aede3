// swift-tools-version: 6.2
// ARCHITECTURE.md describes the targets and their imports; TidyTests keeps it true.
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

func target(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

func testTarget(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: swiftSettings)
}

let package = Package(
    name: "syncline",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "syncline", targets: ["CLI"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/attaswift/BigInt", from: "6.0.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(name: "CConsole"),
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
            ]),
        target("SchemaEdit", ["GraphQL", "JSON"]),
        target("Transformer", ["GraphQL", "Tables", "JSON"]),
        target(
            "Amplify",
            [
                "Transformer", "GraphQL", "JSON", "Encodings",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        target("AWSSignature", ["Encodings", .product(name: "Crypto", package: "swift-crypto")]),
        target(
            "UserPools",
            [
                "Tables", "JSON", "Encodings",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "BigInt", package: "BigInt"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]),
        target(
            "Buckets",
            [
                "AWSSignature", "Tables", "JSON", "Encodings", "CZlib",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        target("Analytics", ["Tables", "JSON", "Encodings"]),
        target(
            "Codegen",
            ["Transformer", "GraphQL", "JSON", "Encodings", .product(name: "Crypto", package: "swift-crypto")]),
        target("API", ["Transformer", "GraphQL", "Tables", "JSON", "Encodings"]),
        target(
            "Server",
            [
                "API", "UserPools", "Buckets", "Analytics", "AWSSignature", "Amplify", "Codegen", "SchemaEdit",
                "Transformer", "GraphQL", "Tables", "HTTP", "JSON", "Encodings", "CConsole",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .executableTarget(
            name: "CLI",
            dependencies: [
                "Server", "Codegen", "Transformer", "GraphQL", "JSON", "Encodings",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swiftSettings),
        .target(name: "CFaultVFS", dependencies: ["CSQLite"], path: "Tests/CFaultVFS"),
        testTarget("JSONTests", ["JSON"]),
        testTarget("GraphQLTests", ["GraphQL", "JSON"]),
        testTarget("TablesTests", ["Tables", "JSON", "CFaultVFS"]),
        testTarget(
            "HTTPTests",
            [
                "HTTP", "Encodings",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        testTarget(
            "UserPoolsTests",
            [
                "UserPools", "Tables", "JSON", "Encodings",
                .product(name: "BigInt", package: "BigInt"),
            ], resources: [.copy("Fixtures")]),
        testTarget("AmplifyTests", ["Amplify", "Transformer", "JSON"], resources: [.copy("Fixtures")]),
        testTarget("BucketsTests", ["Buckets", "AWSSignature", "Tables", "JSON", "Encodings"]),
        testTarget("AnalyticsTests", ["Analytics", "Tables", "JSON", "Encodings"]),
        testTarget("AWSSignatureTests", ["AWSSignature", "Encodings"], resources: [.copy("Fixtures")]),
        testTarget("TransformerTests", ["Transformer", "GraphQL", "Tables", "JSON"], resources: [.copy("Fixtures")]),
        testTarget("SchemaEditTests", ["SchemaEdit", "Transformer", "GraphQL", "JSON"]),
        testTarget("CodegenTests", ["Codegen", "Transformer", "GraphQL", "JSON"], resources: [.copy("Fixtures")]),
        testTarget(
            "APITests", ["API", "Codegen", "Transformer", "GraphQL", "Tables", "JSON", "Encodings"],
            resources: [.copy("Fixtures")]),
        testTarget(
            "ServerTests",
            [
                "Server", "CLI", "API", "UserPools", "Buckets", "Analytics", "AWSSignature", "Amplify", "Codegen",
                "Transformer",
                "GraphQL", "Tables", "HTTP", "JSON", "Encodings", "CFaultVFS",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
            ], resources: [.copy("Fixtures")]),
    ],
    swiftLanguageModes: [.v6]
)
