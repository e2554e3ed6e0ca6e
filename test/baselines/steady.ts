import { packageDirectory } from "../../src/cli/installed-package.ts";

/** The only place where anything is masked: what no seam fixes, what differs between machines, and secrets. */
export function steady(text: string, directory: string): string {
  return withoutPort(text)
    .replaceAll(directory, "<directory>")
    .replaceAll(packageDirectory(), "<package>")
    .replace(/(-----BEGIN OPENSSH PRIVATE KEY-----\n)[\w+/=\n]+/gu, "$1<secret>\n")
    .replace(/"secret":"\w+"/gu, '"secret":"<secret>"')
    .replace(logHead, "$1:<hash>")
    .replace(/"(hash|previous)":"[0-9a-f]{64}"/gu, '"$1":"<hash>"')
    .replace(/(SHA-256[^:\n]*): [0-9a-f]{64}/gu, "$1: <hash>")
    .replace(ownStyleOrScript, "<$1></$1>");
}

/** It follows from every field of every event, so that it would differ with each change of one. */
const logHead = /(?<!\d)(\d+):(?!0{64})[0-9a-f]{64}\b/gu;

/** Of an HTML report, the same in each: its digest is in the report as well. */
const ownStyleOrScript = /<(style|script)>\n[\s\S]*?<\/\1>/gu;

const addressWithPort = /http:\/\/127\.0\.0\.1:\d+/gu;

/** The ID of a plan and the digits of a code follow from the address of the service. */
function withoutPort(text: string): string {
  if (text.search(addressWithPort) < 0) return text;
  return text
    .replace(/Plan ID [0-9a-f]{16}/gu, "Plan ID <id>")
    .replace(/#[0-9a-f]{12}(?=")/gu, "#<digits>")
    .replace(/"plan":"[0-9a-f]{16}"/gu, '"plan":"<id>"')
    .replace(addressWithPort, "http://127.0.0.1:<port>");
}
