import Foundation

/// Whether the tests run under a sanitizer, which replaces the allocator and slows everything down.
enum Sanitizer {
    static let isOn: Bool = {
        let process = unsafe dlopen(nil, RTLD_NOW)
        defer { _ = unsafe process.map(dlclose) }
        return unsafe dlsym(process, "__asan_init") != nil || dlsym(process, "__tsan_init") != nil
    }()
}
