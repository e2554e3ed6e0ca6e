import type { Knobs } from "../knobs.ts";

/** `at` is in milliseconds since the epoch. */
export function timeFields(how: Knobs["times"], at: number): object {
  const iso = new Date(at).toISOString();
  const offset = iso.replace("Z", "+00:00");
  const basic = iso.replace("Z", "+0000");
  switch (how) {
    case "hidden":
      return {};
    case "z":
      return { createdAt: iso, updatedAt: iso, lastActiveDateTime: iso };
    case "offset":
      return { createdAt: offset, updatedAt: offset, lastActiveDateTime: offset };
    case "basic-offset":
      return { createdAt: basic, updatedAt: basic, lastActiveDateTime: basic };
    case "mixed":
      return { createdAt: basic, updatedAt: offset, lastActiveDateTime: null };
    case "epoch":
      return { createdAt: at, updatedAt: at, lastActiveDateTime: at };
  }
}
