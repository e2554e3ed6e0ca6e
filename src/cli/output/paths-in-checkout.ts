import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { checkoutAround, pathBelow, repositoryRoot } from "../checkout.ts";
import type { Host } from "../host.ts";

/**
 * Says of a file, as a person names it from here, how the repository around it names it; undefined of what is outside. Where
 * there is no repository, what a pipeline calls its workspace counts as one, else the directory of the command.
 */
export async function pathsInCheckout(host: Host): Promise<(file: string) => string | undefined> {
  const { root, roots } = await checkoutAround(host);
  const here = await realpath(host.cwd).catch(() => host.cwd);
  const workspace = roots.find((one) => one !== root && pathBelow(one, here) !== undefined);
  const base = repositoryRoot(host.cwd) === undefined ? (workspace ?? root) : root;
  return (file) => {
    if (file === "-" || file === "") return undefined;
    const path = pathBelow(base, resolve(here, file));
    return path === "" ? undefined : path;
  };
}
