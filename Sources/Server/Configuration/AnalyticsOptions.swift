import Analytics
import JSON

/// `analytics`: the apps whose events are taken, and for how long they are kept.
struct AnalyticsOptions: Sendable {
    /// The apps that are configured. Without any `dev` makes one.
    private(set) var apps: [AnalyticsApp] = []
    /// Whether it was said that no events are taken.
    private(set) var isOff = false
    /// The region that clients send events to; nil for that of the other services. Pinpoint is not in every region.
    private(set) var region: String?
    private var retentionDays: Int?
    private var activityDays: Int?
    private var eventsBytesMax: Int?
    private var endpointsBytesMax: Int?

    mutating func read(_ file: ConfigurationSection) {
        guard let value = file.value("analytics") else { return }
        if value.boolValue == false {
            isOff = true
            return
        }
        let section = file.section("analytics")
        let name = section.string("name")
        region = section.string("region")
        let ids = section.strings("appId") ?? []
        for (index, id) in ids.enumerated() {
            guard AnalyticsApp.isID(id) else {
                section.report(
                    "appId", "Invalid app id \"\(id)\": use 1 to 64 letters, digits, '.', '_' or '-'.")
                continue
            }
            guard !ids[..<index].contains(id) else {
                section.report("appId", "The app \(id) is named twice.")
                continue
            }
            apps.append(AnalyticsApp(id: id, name: name ?? id))
        }
        retentionDays = section.integer("retentionDays", in: 1...36_500)
        activityDays = section.integer("activityDays", in: 1...36_500)
        eventsBytesMax = section.integer("eventsBytesMax", in: 1 << 20...1 << 40)
        endpointsBytesMax = section.integer("endpointsBytesMax", in: 16 << 20...1 << 40)
        section.finish()
    }

    /// The bounds, with those that are configured here.
    func limits(_ limits: AnalyticsLimits) -> AnalyticsLimits {
        var limits = limits
        limits.retentionDays = retentionDays ?? limits.retentionDays
        limits.activityDays = activityDays ?? limits.activityDays
        limits.eventsBytesMax = eventsBytesMax ?? limits.eventsBytesMax
        limits.endpointsBytesMax = endpointsBytesMax ?? limits.endpointsBytesMax
        return limits
    }
}
