import { problem, type Result, success } from "../../model/result.ts";

/** What a state address such as `s3://bucket/path/state.json?region=eu-west-1` says. */
export interface S3Address {
  readonly bucket: string;
  /** Taken as it is written: nothing in it is decoded. */
  readonly key: string;
  readonly region?: string;
  readonly endpoint?: string;
}

const parameters = ["region", "endpoint"] as const;

/** Reads a state address; the error is a sentence that quotes nothing which could be a secret. */
export function readS3Address(text: string): Result<S3Address, string> {
  const [, authority = "", key = "", query = ""] =
    /^s3:\/\/([^/?#]*)\/?([^?#]*)(?:\?([^#]*))?(#.*)?$/su.exec(text) ?? [];
  if (authority.includes("@")) return problem(credentials);
  if (text.includes("#")) return problem("The state address carries a fragment: write s3://BUCKET/PATH alone.");
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/u.test(authority)) return problem(badBucket);
  const wrong = keyProblem(key);
  if (wrong !== undefined) return problem(wrong);
  const said = new URLSearchParams(query);
  const strange = [...said.keys()].find((name) => !isParameter(name) || said.getAll(name).length > 1);
  if (strange !== undefined) return problem(`The state address takes region= and endpoint=, each once${not(strange)}.`);
  const [region, endpoint] = [said.get("region") ?? "", said.get("endpoint") ?? ""];
  return success({
    bucket: authority,
    key,
    ...(region === "" ? {} : { region }),
    ...(endpoint === "" ? {} : { endpoint }),
  });
}

const credentials =
  "The state address holds credentials: leave them out, they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.";

const badBucket =
  "The state address names no bucket: write s3://BUCKET/PATH, with the bucket in small letters, digits, dots and dashes.";

/** S3 names at most 1024 bytes, and the lock's name is a little longer. */
const longestKey = 1000;

function keyProblem(key: string): string | undefined {
  if (key === "" || key.endsWith("/"))
    return "The state address names no object: write s3://BUCKET/PATH, such as s3://acme/roster/state.json.";
  // Such parts are taken out of every address on its way, so that another object would be meant.
  if (key.split("/").some((part) => part === "" || part === "." || part === ".."))
    return "The path of the state address has an empty part, or one that is . or ..: write it without.";
  if (key.endsWith(".lock"))
    return "The path of the state address ends in .lock, which is the name of another state's lock.";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\p{Cs}]/u.test(key)) return "The path of the state address holds a control character.";
  if (Buffer.byteLength(key) > longestKey) return `The path of the state address is longer than ${longestKey} bytes.`;
  return undefined;
}

function isParameter(name: string): boolean {
  return parameters.some((known) => known === name);
}

function not(name: string): string {
  return /^[a-z-]{1,30}$/u.test(name) && !isParameter(name) ? `, and knows no ${name}=` : "";
}
