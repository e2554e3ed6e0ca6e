import type { Knobs } from "../knobs.ts";

export function renderStatus(how: Knobs["statusCase"], status: string): string {
  switch (how) {
    case "capitalised":
      return status;
    case "lower":
      return status.toLowerCase();
    case "upper":
      return status.toUpperCase();
  }
}
