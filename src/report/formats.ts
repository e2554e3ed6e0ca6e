import { jsonFormat } from "./json.ts";
import type { Format } from "./outcome.ts";
import { textFormat } from "./text.ts";

/** The output formats by name. A new one is a file and a line here. */
export const formats: Readonly<Record<"text" | "json", Format>> = {
  text: textFormat,
  json: jsonFormat,
};
