import { choice, type ValueOf } from "./knob.ts";

export const statusCase = choice("How the words of a status are written.", "capitalised", {
  capitalised: "as they are: Active",
  lower: "active",
  upper: "ACTIVE",
});

export function statusWord(how: ValueOf<typeof statusCase>, status: string): string {
  switch (how) {
    case "capitalised":
      return status;
    case "lower":
      return status.toLowerCase();
    case "upper":
      return status.toUpperCase();
  }
}
