import { resolve } from "node:path";
import { openRegular, readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { invalidSetting } from "../../library/error.ts";
import { maxFileBytes } from "../../yaml/source-text.ts";
import { type Host, readStandardInput } from "../host.ts";

interface InputFile {
  readonly what: string;
  readonly largest?: number;
  readonly hint?: string;
}

/** What is in a file that a person names; `-` is standard input. Throws why it cannot be read. */
export async function readInput(
  path: string,
  { what, largest = maxFileBytes, hint }: InputFile,
  host: Host,
): Promise<Buffer> {
  const unreadable = (why: string) => {
    const message = why === "ENOENT" ? `${path} does not exist.` : `The ${what} ${path} cannot be read: ${why}.`;
    return invalidSetting("unreadable-file", message, hint);
  };
  const reading =
    path === "-" ? readStandardInput(host.stdin(), () => largest) : readRegularFile(resolve(host.cwd, path), largest);
  const bytes = await reading.catch((error: unknown) => {
    throw unreadable(whyUnread(error));
  });
  if (bytes.length > largest) throw unreadable(`it is larger than ${largest / 1024 ** 2} MiB`);
  return bytes;
}

export async function beginningOfFile(at: string, length: number): Promise<Buffer> {
  const file = await openRegular(at);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
