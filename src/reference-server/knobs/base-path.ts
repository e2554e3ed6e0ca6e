import type { Knobs } from "../knobs.ts";

/** The path of a request as the routes know it; undefined where it is none of this service's. */
export function stripBasePath(where: Knobs["basePath"], path: string): string | undefined {
  if (where === "root") return path;
  return path.startsWith("/modzy/") ? path.slice("/modzy".length) : undefined;
}
