import { styleText } from "node:util";
import { type Ink, type Paint, plain, type TerminalStyle } from "../../report/outcome.ts";
import type { Output } from "../host.ts";

const styles = {
  add: "green",
  change: "yellow",
  remove: "red",
  alarm: "red",
  dim: "dim",
  strong: "bold",
  marked: "inverse",
} as const satisfies Record<Ink, string>;

/** Colours for an output, or none: the output knows what its reader wants. */
export function painter(output: Output): Paint {
  return output.hasColours ? (ink, text) => styleText(styles[ink], text, { validateStream: false }) : plain;
}

/** How texts are to look on an output: in which colours, and on how many columns. */
export function textStyleOf(output: Output): TerminalStyle {
  return { paint: painter(output), columns: output.columns };
}
