import { choice, type ValueOf } from "./knob.ts";

export const times = choice("Whether and how users show when they were created, changed and seen.", "hidden", {
  hidden: "not at all",
  z: "2026-01-02T03:04:05.000Z",
  offset: "2026-01-02T03:04:05.000+00:00",
  "basic-offset": "2026-01-02T03:04:05.000+0000",
  mixed: "createdAt with +0000, updatedAt with +00:00, lastActiveDateTime null",
  epoch: "milliseconds since 1970 as a number",
});

/** `at` is in milliseconds since the epoch. */
export function timeFields(how: ValueOf<typeof times>, at: number): object {
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
