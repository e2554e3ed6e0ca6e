import { CST } from "yaml";
import { writeScalar } from "../write-scalar.ts";
import type { LayoutScalar } from "./laid-out.ts";

/** A scalar as it is to be written: bare where it is bare or need not be quoted, a block of text as the block that it is. */
export function layoutScalar(token: CST.Token | undefined): LayoutScalar {
  const resolved = token === undefined ? null : CST.resolveAsScalar(token, false, () => undefined);
  if (token === undefined || resolved === null) return { kind: "scalar", text: "", written: [""] };
  const text = resolved.value;
  if (token.type === "block-scalar")
    return { kind: "scalar", text, written: blockScalarLines(token) ?? [writeScalar(text)] };
  return { kind: "scalar", text, written: [scalarText(token, text)] };
}

function scalarText(token: CST.Token, text: string): string {
  const source = "source" in token ? token.source : "";
  const written = writeScalar(text);
  if (source.includes("\n")) return written;
  return token.type === "scalar" || /["\\]/u.test(text) || (written !== text && written.includes("\\"))
    ? source
    : written;
}

/** A block of text with its lines as far in as they can be. Nothing where its end or its own indentation says something. */
function blockScalarLines({ props, source }: CST.BlockScalar): readonly [string, ...string[]] | undefined {
  const header = props.find(({ type }) => type === "block-scalar-header");
  const mark = header !== undefined && "source" in header ? header.source : "";
  const lines = source.trimEnd().split("\n");
  if (!/^[|>]-?$/u.test(mark) || source.trim() === "") return undefined;
  const [first = ""] = lines;
  const margin = first.length - first.trimStart().length;
  const isPlain = lines.every((line) => line.trim() === "" || line.slice(0, margin).trim() === "");
  return isPlain && first.trim() !== "" ? [mark, ...lines.map((line) => line.slice(margin))] : undefined;
}
