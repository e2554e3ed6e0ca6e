import { choice, type ValueOf } from "./knob.ts";

export const basePath = choice("Under which path the routes of the service are served.", "root", {
  root: "/api/accounting/…",
  modzy: "/modzy/api/accounting/…, and nowhere else",
});

/** The path of a request as the routes know it; undefined where it is none of this service's. */
export function pathUnderBase(where: ValueOf<typeof basePath>, path: string): string | undefined {
  if (where === "root") return path;
  return path.startsWith("/modzy/") ? path.slice("/modzy".length) : undefined;
}
