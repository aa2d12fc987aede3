// swift-tools-version: 5.9
// A build-tool plugin that generates the models of a schema by the installed `syncline`. It depends on nothing, so that an
// app does not build the server.
import PackageDescription

let package = Package(
    name: "SynclineModels",
    products: [.plugin(name: "SynclineModels", targets: ["SynclineModels"])],
    targets: [.plugin(name: "SynclineModels", capability: .buildTool())]
)
