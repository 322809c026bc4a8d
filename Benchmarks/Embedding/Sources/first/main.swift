import Siltstone

let store = try KeyValueStore.open(at: "first.silt")
try store.put("moon:io".utf8, "volcanoes".utf8)
try store.put("moon:europa".utf8, "ice".utf8)
let cursor = try store.scan(prefix: "moon:".utf8)
while let entry = try cursor.next() {
    print(String(decoding: entry.key, as: UTF8.self), String(decoding: entry.value, as: UTF8.self))
}
try store.close()
