import { choice, type ValueOf } from "./knob.ts";

export const emailCase = choice("In which letter case an address is kept.", "preserve", {
  preserve: "as it was sent",
  lower: "in small letters",
});

export function keptAddress(how: ValueOf<typeof emailCase>, sent: string): string {
  return how === "lower" ? sent.toLowerCase() : sent;
}
