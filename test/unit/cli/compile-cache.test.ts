import { expect, test } from "vitest";
import { compileCacheDirectory } from "../../../src/cli/compile-cache.ts";

test.each([
  ["/var/cache/ada", "/home/ada", "/var/cache/ada/roster"],
  [undefined, "/home/ada", "/home/ada/.cache/roster"],
  ["", "/home/ada", "/home/ada/.cache/roster"],
  ["cache", "/home/ada", "/home/ada/.cache/roster"],
  ["", "", undefined],
  ["./cache", "checkout", undefined],
])("with XDG_CACHE_HOME %j and the home %j, compiled code is kept in %j", (cache, home, directory) => {
  expect(compileCacheDirectory(cache, home)).toBe(directory);
});
