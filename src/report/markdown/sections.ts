/** A document is made of sections, in the order in which they are read. Where there is no room for all, rows are left out. */
export interface Section {
  /** A heading, or what a folded section is called. Never a value. */
  readonly title?: string;
  readonly is: "open" | "folded";
  /** What stands before the rows, whatever room there is. */
  readonly before: readonly string[];
  /** The most important first. Each is Markdown of its own: a row of the table, or a block. */
  readonly rows: readonly string[];
  /** The first to be filled has the lowest. */
  readonly rank: number;
  /** What is said in place of rows that are left out. */
  readonly more: (count: number) => string;
  /** Rows of a table or items of a list follow one another; blocks have a line between them. */
  readonly between: "nothing" | "a-line";
}

/** So many bytes of a comment's 65,536 are used at the most, so that whoever posts it may add something. */
const maxBytes = 60_000;

/** The text of a document in no more bytes of UTF-8 than that, and so in no more units of UTF-16 either. */
export function renderSections(head: readonly string[], sections: readonly Section[], most = maxBytes): string {
  const told = sections.filter(({ before, rows }) => before.length + rows.length > 0);
  const frames = told.map((section) => bytesOf(renderSection(section, [], section.rows.length)));
  let room = most - bytesOf(`${head.join("\n")}\n`) - frames.reduce((sum, bytes) => sum + bytes, 0);
  const kept = new Map<Section, readonly string[]>();
  for (const section of [...told].sort((a, b) => a.rank - b.rank)) {
    const fitting = rowsWithin(section, room);
    room -= fitting.bytes;
    kept.set(section, fitting.rows);
  }
  const texts = told.map((section) => {
    const rows = kept.get(section) ?? [];
    return renderSection(section, rows, section.rows.length - rows.length);
  });
  return [`${head.join("\n")}\n`, ...texts].join("");
}

function rowsWithin(
  { rows, between }: Section,
  room: number,
): { readonly rows: readonly string[]; readonly bytes: number } {
  const gap = between === "a-line" ? 2 : 1;
  let bytes = 0;
  const fitting: string[] = [];
  for (const row of rows) {
    const more = bytesOf(row) + gap;
    if (bytes + more > room) break;
    bytes += more;
    fitting.push(row);
  }
  return { rows: fitting, bytes };
}

function renderSection(section: Section, rows: readonly string[], left: number): string {
  const { title, is, before, more, between } = section;
  const body = [...before, ...(rows.length === 0 ? [] : [rows.join(between === "a-line" ? "\n\n" : "\n")])];
  const told = [
    ...body,
    ...(left === 0 ? [] : [`${rows.length === 0 && before.length === 0 ? "" : "\n"}${more(left)}`]),
  ];
  if (is === "open") return `\n${[...(title === undefined ? [] : [`### ${title}\n`]), ...told].join("\n")}\n`;
  return `\n<details><summary>${title ?? ""}</summary>\n\n${told.join("\n")}\n\n</details>\n`;
}

/** The head of a table, as what stands before its rows. */
export function tableHead(titles: readonly string[]): readonly string[] {
  return [`| ${titles.join(" | ")} |`, `|${titles.map(() => "---|").join("")}`];
}

/** A row of a table, of cells that are Markdown already. */
export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => (cell === "" ? "–" : cell)).join(" | ")} |`;
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}
