import { quoted } from "./quoted.ts";

/** What a validator made of a schema has to say first. */
interface SchemaError {
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Where a document is not of its shape, and how, as the end of a sentence. */
export function schemaProblem(fault: SchemaError | undefined): string {
  const where = fault === undefined || fault.instancePath === "" ? "its top level" : fault.instancePath;
  const unknownName = fault?.params["additionalProperty"];
  const what = typeof unknownName === "string" ? `must not have ${quoted(unknownName)}` : fault?.message;
  return `${where} ${what ?? "is not as it must be"}`;
}
