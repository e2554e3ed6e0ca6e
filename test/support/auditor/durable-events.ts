import type { FileSystem, OpenFile } from "../../../src/files/file-system.ts";
import type { RunEvent } from "../../../src/model/event.ts";

/** The same files; each event is noted when the line that holds it has become durable. */
export function notingEvents(disk: FileSystem, note: (event: RunEvent) => void): FileSystem {
  return {
    ...disk,
    async open(path, how, like) {
      return notingLines(await disk.open(path, how, like), (line) => {
        const event = eventIn(line);
        if (event !== undefined) note(event);
      });
    },
  };
}

function notingLines(file: OpenFile, note: (line: string) => void): OpenFile {
  let written = "";

  async function durable(sync: () => Promise<void>): Promise<void> {
    const lines = written.split("\n");
    written = "";
    await sync();
    for (const line of lines) note(line);
  }

  return {
    ...file,
    write(content, place) {
      written += typeof content === "string" ? content : new TextDecoder().decode(content);
      return file.write(content, place);
    },
    sync: () => durable(() => file.sync()),
    datasync: () => durable(() => file.datasync()),
  };
}

/** The event of a line of the log, with a checksum around it or a position in it; undefined for the lines of other files. */
function eventIn(line: string): RunEvent | undefined {
  if (!/^\{"(?:sum|position)":/u.test(line)) return undefined;
  const written = JSON.parse(line) as RunEvent | { readonly entry: RunEvent };
  return "entry" in written ? written.entry : written;
}
