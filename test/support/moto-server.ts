import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { signerFor } from "../../src/log/s3/objects.ts";
import { freePort } from "./loopback.ts";

/** A `moto_server` of its own on the loopback interface, which checks signatures and has one bucket, `acme`. */
export interface MotoServer {
  readonly endpoint: string;
  /** Of a user who may do everything with buckets. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  stop(): Promise<void>;
}

/** The path of the program; undefined where it is not installed. */
export function installedMoto(): string | undefined {
  const places = (process.env["PATH"] ?? "").split(":").filter((place) => place !== "");
  return places.map((place) => join(place, "moto_server")).find((path) => existsSync(path));
}

const allOfBuckets = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}';

/** The calls that make a user with a key are the only ones that nobody needs to sign. */
const unsigned = [
  { Action: "CreateUser", UserName: "roster" },
  { Action: "PutUserPolicy", UserName: "roster", PolicyName: "buckets", PolicyDocument: allOfBuckets },
  { Action: "CreateAccessKey", UserName: "roster" },
];

/** `unchecked`: how many calls come before the first one whose signature is checked. */
export async function startMoto(program: string, unchecked = unsigned.length): Promise<MotoServer> {
  const port = await freePort();
  const env = { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: String(unchecked) };
  const child = spawn(program, ["-H", "127.0.0.1", "-p", String(port)], { env, stdio: "ignore" });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    const credentials = await makeUser(endpoint, child);
    const sign = signerFor(credentials, { region: "us-east-1", clock: { now: Date.now } });
    const { url, headers } = await sign({ method: "PUT", url: new URL(`${endpoint}/acme`), headers: {} });
    const made = await fetch(url, { method: "PUT", headers });
    if (!made.ok) throw new Error(`no bucket could be made: ${made.status} ${await made.text()}`);
    return { endpoint, credentials, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

async function makeUser(endpoint: string, child: ChildProcess): Promise<MotoServer["credentials"]> {
  let answer = "";
  for (const call of unsigned) answer = await callIam(endpoint, call, child);
  const [accessKeyId, secretAccessKey] = ["AccessKeyId", "SecretAccessKey"].map(
    (name) => new RegExp(`<${name}>([^<]+)</${name}>`, "u").exec(answer)?.[1],
  );
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new Error(`no key was made: ${answer}`);
  return { accessKeyId, secretAccessKey };
}

/** The service is told by the scope of the signature, which is not looked at otherwise. */
async function callIam(endpoint: string, call: Readonly<Record<string, string>>, child: ChildProcess): Promise<string> {
  const scope =
    "AWS4-HMAC-SHA256 Credential=NOBODY/20261120/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0";
  const body = new URLSearchParams({ ...call, Version: "2010-05-08" });
  for (let tries = 0; child.exitCode === null && tries < 300; tries += 1) {
    const answered = await fetch(endpoint, { method: "POST", headers: { authorization: scope }, body }).catch(
      () => "not yet" as const,
    );
    if (answered !== "not yet") return answered.text();
    await pause(100);
  }
  throw new Error("moto_server does not answer");
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await ended;
}
