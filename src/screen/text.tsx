import { Box, Text } from "ink";
import { createContext, type ReactNode, useContext } from "react";
import type { Line, Piece } from "../report/document/tree.ts";
import { type Paint, plain } from "../report/outcome.ts";
import { displayWidth } from "../report/safe.ts";
import { type Row as LaidRow, padTo, piecesWidth, pieceText, rowsOf } from "../report/text/text.ts";
import type { Size } from "./terminal.ts";

const SizeContext = createContext<Size>({ columns: 80, rows: 24 });
const PaintContext = createContext<Paint>(plain);

export function Surface(props: { readonly size: Size; readonly paint: Paint; readonly children: ReactNode }) {
  return (
    <SizeContext value={props.size}>
      <PaintContext value={props.paint}>{props.children}</PaintContext>
    </SizeContext>
  );
}

export function useSize(): Size {
  return useContext(SizeContext);
}

/** Texts from outside become safe here, and nowhere else on a screen. */
export function StyledText(props: { readonly pieces: readonly Piece[]; readonly wrap?: "wrap" | "truncate" }) {
  const paint = useContext(PaintContext);
  return <Text wrap={props.wrap ?? "truncate"}>{paintedText(props.pieces, paint)}</Text>;
}

interface RowProps {
  readonly pieces: readonly Piece[];
  readonly columns: number;
  /** Stands at the right edge, where the rest leaves room for it. */
  readonly right?: string | undefined;
  readonly isMarked?: boolean;
}

/** One row of a screen; what is too long ends with an ellipsis. */
export function Row({ pieces, columns, right = "", isMarked = false }: RowProps) {
  const paint = useContext(PaintContext);
  const space = columns - displayWidth(pieces.map(pieceText).join("")) - displayWidth(pieceText(right));
  const end: readonly Piece[] = right === "" || space < 2 ? [] : [" ".repeat(space), { ink: "dim", text: right }];
  const row = [...pieces, ...end];
  const text = isMarked ? paint("marked", padTo(row.map(pieceText).join(""), columns)) : paintedText(row, paint);
  return <Text wrap="truncate">{text}</Text>;
}

/** Lines of a report, broken at words. They keep their height where there is less room. */
export function Lines({ lines, columns }: { readonly lines: readonly Line[]; readonly columns: number }) {
  const rows = lines.flatMap((line) => wrapLine(line, columns));
  return (
    <Box flexDirection="column" flexShrink={0} width={columns}>
      {rows.map((row) => (
        <WrappedRow key={rows.indexOf(row)} row={row} columns={columns} />
      ))}
    </Box>
  );
}

/** One row of a line that was broken at words. A word that is wider, such as a long command, goes on below. */
export interface TextRow extends LaidRow {
  readonly height: number;
}

export function WrappedRow({ row, columns }: { readonly row: TextRow; readonly columns: number }) {
  const { indent, pieces, place, height } = row;
  if (height === 1) return <Row pieces={[" ".repeat(indent), ...pieces]} right={place} columns={columns} />;
  return (
    <Box paddingLeft={indent} width={columns} flexShrink={0}>
      <StyledText pieces={pieces} wrap="wrap" />
    </Box>
  );
}

/** Rows of at most so many columns. What goes on below a row is indented by two more. */
export function wrapLine(line: Line, columns: number): readonly TextRow[] {
  const indent = Math.min(line.indent, Math.floor(columns / 4));
  return rowsOf({ ...line, indent }, columns, { prose: columns, hanging: 2 }).map((row) => {
    const lines = Math.ceil(piecesWidth(row.pieces) / Math.max(1, columns - row.indent));
    return { ...row, height: lines <= 1 ? 1 : lines * 2 };
  });
}

/** An empty text would have no height. */
function paintedText(pieces: readonly Piece[], paint: Paint): string {
  const parts = pieces.map((piece) =>
    typeof piece === "string" ? pieceText(piece) : paint(piece.ink, pieceText(piece)),
  );
  return parts.join("") || " ";
}
