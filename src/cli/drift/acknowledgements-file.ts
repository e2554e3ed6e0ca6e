import { resolve } from "node:path";
import type { Acknowledgement } from "../../model/drift.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { readRegularFile, UnusableFileError, whyUnread } from "../../state/regular-file.ts";
import { fileTooLarge, maxFileBytes } from "../../yaml/decode.ts";
import { readYaml } from "../../yaml/read.ts";
import { checkoutAround, placementOf, trustsCheckout } from "../checkout.ts";
import { type Host, isPipeline } from "../host.ts";
import type { Settings } from "../settings/settings.ts";
import { type CommandError, invalidInput, invalidSetting } from "../stop.ts";
import { decodeAcknowledgements } from "./acknowledgements-shape.ts";

/** The file in which people acknowledge what differs. */
export interface AcknowledgementsFile {
  /** As shown to a person. */
  readonly file: string;
  /** Absent where there is no such file yet. */
  readonly bytes?: Uint8Array;
  readonly acknowledgements: readonly Acknowledgement[];
  /** `ordinary`: with CI set, whoever can change the checkout could silence what is guarded. */
  readonly for: "everything" | "ordinary";
}

/** Reads it, or says what is wrong with it. One that nobody named need not be there. */
export async function readAcknowledgements(
  { acknowledgements: named, file: settings }: Pick<Settings, "acknowledgements" | "file">,
  host: Host,
): Promise<Result<AcknowledgementsFile, CommandError>> {
  const { value: file, from } = named;
  const path = resolve(host.cwd, file);
  const standing = await placementOf(path, await checkoutAround(host));
  const isGuarded = isPipeline(host) && !trustsCheckout(host);
  const chosenByCheckout = from !== "flag" && (settings === undefined || settings.insideCheckout);
  if (isGuarded && (standing.leadsOut || (chosenByCheckout && !standing.isInside))) return problem(leadsOut(file));
  const read = await readBytes(path, file);
  if (!read.ok) return read;
  const about = { file, for: isGuarded && standing.isEditable ? "ordinary" : "everything" } as const;
  if (read.value === undefined) return success({ ...about, acknowledgements: [] });
  const decoded = decodeAcknowledgements(readYaml(file, read.value));
  if (!decoded.ok) return problem(invalidInput(decoded.error));
  return success({ ...about, bytes: read.value, acknowledgements: decoded.value });
}

async function readBytes(path: string, file: string): Promise<Result<Uint8Array | undefined, CommandError>> {
  try {
    return success(await readRegularFile(path, maxFileBytes));
  } catch (error) {
    if (error instanceof UnusableFileError && error.code === "EFBIG")
      return problem(invalidInput([fileTooLarge(file)]));
    const why = whyUnread(error);
    if (why === "ENOENT") return success(undefined);
    const message = `The acknowledgements ${file} cannot be read: ${why}.`;
    return problem(invalidSetting("unreadable-acknowledgements", message, "Mend the file, or name another one."));
  }
}

function leadsOut(file: string): CommandError {
  return invalidSetting(
    "untrusted-acknowledgements",
    `CI is set, and the acknowledgements ${file} lie out of the checkout that names them: it would choose which file of this machine is read.`,
    "Put them into the checkout, name them with --acknowledgements, or set ROSTER_TRUST_SETTINGS=1.",
  );
}
