import JSON
import Transformer

extension ProjectReader {
    /// Reads the Pinpoint app; Kinesis streams are not served.
    func readAnalytics() {
        for resource in resources where resource.category == "analytics" {
            guard resource.service == "Pinpoint", project.settings.value["analytics"] == nil else {
                row(
                    "analytics", resource.name, .notServed, "\(resource.service) is not served.",
                    at: resource.node.place)
                continue
            }
            let app = id(.app, of: resource, output: "Id")
            set(["analytics", "appId"], .string(app.text), at: app.place)
            let name = parametersFile("\(resource.folder)/parameters.json") { $0 == "appName" }?["appName"]
            set(["analytics", "name"], .string(name?.text ?? resource.name), at: name?.place)
            let region = ids.output("analytics", resource.name, "Region")
            setAppRegion(region.flatMap { node in node.text.map { ($0, node.place) } } ?? ids.client[.appRegion])
            row("analytics", resource.name, .same, "Analytics events are accepted.", at: resource.node.place)
        }
    }

    /// Sets the region in which clients look for Pinpoint, where it is not that of the other services.
    func setAppRegion(_ known: (text: String, place: Diagnostic.Place)?) {
        guard let known, known.text != project.region, Self.isRegionName(known.text) else { return }
        set(["analytics", "region"], .string(known.text), at: known.place)
    }

    /// Names what a project may have and this server has not, each kind once with its count.
    func readOthers() {
        var counts: [(category: String, count: Int, place: Diagnostic.Place)] = []
        for resource in resources where !Self.readCategories.contains(resource.category) {
            if let index = counts.firstIndex(where: { $0.category == resource.category }) {
                counts[index].count += 1
            } else {
                counts.append((resource.category, 1, resource.node.place))
            }
        }
        for (category, count, place) in counts {
            row(
                category, count == 1 ? "1 resource" : "\(count) resources", .notServed, "The category is not served.",
                at: place)
        }
        reportOverride(in: "amplify/backend/awscloudformation", "project")
        // Those of the folder itself; their packages may be below it.
        let hooks = folder.names("amplify/hooks").filter { name in
            (name.hasSuffix(".js") || name.hasSuffix(".sh")) && (name.hasPrefix("pre-") || name.hasPrefix("post-"))
        }
        if !hooks.isEmpty {
            row(
                "project", hooks.count == 1 ? "1 hook" : "\(hooks.count) hooks", .notServed,
                "Hooks are never executed.",
                file: "amplify/hooks")
        }
        if folder.isFile("amplify/mock.json") {
            row("project", "mock.json", .notNeeded, "Ports are settings of this server.", file: "amplify/mock.json")
        }
    }

    /// Reports an `override.ts`, which changes resources that Amplify generates.
    func reportOverride(in path: String, _ category: String) {
        note("\(path)/override.ts")
        guard folder.isFile("\(path)/override.ts") else { return }
        row(
            category, "override.ts", .notServed, "It is not executed: overrides of resources have no effect here.",
            file: "\(path)/override.ts")
    }
}
