import type { FileSystem, OpenFile } from "../../../src/files/file-system.ts";
import type { LogEvent } from "../../../src/model/event.ts";

/** The same files; each event is noted when the line that holds it has become durable, and once where a line is copied. */
export function notingEvents(disk: FileSystem, note: (event: LogEvent) => void): FileSystem {
  let last = 0;
  return {
    ...disk,
    async open(path, how, like) {
      return notingLines(await disk.open(path, how, like), (line) => {
        const [, position] = /^\{"position":(\d+),"previous":/u.exec(line) ?? [];
        if (position === undefined || Number(position) <= last) return;
        last = Number(position);
        note(JSON.parse(line) as LogEvent);
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
