import { expect, test } from "vitest";
import { type MakeDirectory, makeDirectories } from "../../../src/files/file-system.ts";
import { systemError } from "../../support/memory-disk.ts";

/** As Node does: with all that is missing above, it calls a directory missing wherever none can be made. */
function refusing(code: string, there: readonly string[]): MakeDirectory {
  return async (path, { recursive }) => {
    if (recursive) throw systemError("ENOENT", path);
    const above = path.slice(0, path.lastIndexOf("/"));
    throw systemError(there.includes(above) ? code : "ENOENT", path);
  };
}

test.each([
  ["the one that is asked for", "/disk/states"],
  ["the first that is missing above it", "/disk/a/b/states"],
])("where no directory can be made, what refuses %s is told", async (_what, path) => {
  const made = makeDirectories(path, refusing("EROFS", ["/disk"]));
  await expect(made).rejects.toMatchObject({ code: "EROFS" });
});

test("where something else is in the way, as a link that leads nowhere, a part of the path is missing", async () => {
  const made = makeDirectories("/disk/link/states", refusing("EEXIST", ["/disk"]));
  await expect(made).rejects.toMatchObject({ code: "ENOENT" });
});
