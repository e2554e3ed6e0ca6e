import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { ReportStore } from "../../ports/state-store.ts";
import { encoded, type S3Key, type S3Place } from "./address.ts";
import { type ObjectTask, objectFailure } from "./failure.ts";
import { readListing } from "./listing.ts";
import { isDone, type S3Credentials, type S3Exchange, type S3Ports, s3Exchange } from "./objects.ts";

/** `http`: of the origin of `place`. Closed with the reports. */
interface S3ReportOptions extends S3Ports {
  /** Its `state` is what the names of all reports begin with. */
  readonly place: S3Place;
  readonly credentials: S3Credentials;
}

/** Keeps reports in objects below an address. The last report of a name is the one that counts. */
export function s3Reports({ place, credentials, ...ports }: S3ReportOptions): ReportStore {
  const exchange = s3Exchange(ports, { region: place.region, credentials, content: "reports" });
  const { shown, url } = place.state;
  const objectOf = (name: string): S3Key => ({
    shown: `${shown}/${name}`,
    url: new URL(`${url.href}/${name.split("/").map(encoded).join("/")}`),
  });
  return {
    address: shown,
    async write(name, text, type) {
      const object = objectOf(name);
      const headers = { "content-type": type };
      const sent = await exchange.send({ method: "PUT", object, doing: "written", headers, body: text });
      if (!sent.ok) return sent.error;
      const { answer } = sent.value;
      return isDone(answer) ? undefined : exchange.refused({ object, doing: "written" }, answer);
    },
    async read(name) {
      const object = objectOf(name);
      const sent = await exchange.send({ method: "GET", object, doing: "read" });
      if (!sent.ok) return sent;
      const { answer } = sent.value;
      return answer.status === 200
        ? success(answer.body)
        : problem(exchange.refused({ object, doing: "read" }, answer));
    },
    list: (isWanted) => listNames(exchange, place, isWanted),
    close: () => ports.http.close(),
  };
}

const mostPages = 10_000;
const mostNames = 100_000;

/** The names of the objects below the address that are wanted, page by page, to the last one. */
async function listNames(
  exchange: S3Exchange,
  place: S3Place,
  isWanted: (name: string) => boolean,
): Promise<Result<readonly string[], Failure>> {
  const { root, state } = place;
  const shown = `${state.shown}/`;
  const prefix = shown.slice(`${root.shown}/`.length);
  const names: string[] = [];
  const asked = new Set<string>();
  for (let token: string | undefined = ""; token !== undefined; ) {
    const object: S3Key = { shown, url: listUrl(root, prefix, token) };
    const task: ObjectTask = { content: exchange.content, object, doing: "listed" };
    const sent = await exchange.send({ method: "GET", object, doing: "listed" });
    if (!sent.ok) return sent;
    const { answer } = sent.value;
    if (answer.status !== 200) return problem(exchange.refused({ object, doing: "listed" }, answer));
    const page = readListing(answer.body);
    if (!page.ok) return problem(objectFailure(task, { why: page.error, hint: notS3 }));
    const { keys, next } = page.value;
    const stray = keys.find((key) => !isBelow(key, prefix));
    if (stray !== undefined) return problem(objectFailure(task, { why: "the list has other objects", hint: notS3 }));
    names.push(...keys.map((key) => key.slice(prefix.length)).filter(isWanted));
    asked.add(token);
    if (asked.size > mostPages || names.length > mostNames)
      return problem(objectFailure(task, { why: "there are too many objects", hint: "name an address with fewer" }));
    if (next !== undefined && asked.has(next))
      return problem(objectFailure(task, { why: "the list of objects has no end", hint: notS3 }));
    token = next;
  }
  return success(names);
}

const notS3 = "check that the endpoint is an S3 service";

/** Parts such as `..` are taken out of an address on its way, so that another object would be read. */
function isBelow(key: string, prefix: string): boolean {
  return key.startsWith(prefix) && !key.split("/").some((part) => part === "." || part === "..");
}

/** Names come escaped, since XML cannot have every character that they can. */
function listUrl({ url }: S3Key, prefix: string, token: string): URL {
  const query = {
    "list-type": "2",
    "encoding-type": "url",
    prefix,
    ...(token === "" ? {} : { "continuation-token": token }),
  };
  const words = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  return new URL(`${url.href}?${words.join("&")}`);
}
