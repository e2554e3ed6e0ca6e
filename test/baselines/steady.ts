import { installedPackage } from "../../src/cli/installed-package.ts";

/** The only place where anything is masked: what no seam fixes, what differs between machines, and secrets. */
export function steady(text: string, directory: string): string {
  return withoutPort(text)
    .replaceAll(directory, "<directory>")
    .replaceAll(installedPackage().directory, "<package>")
    .replace(/(-----BEGIN OPENSSH PRIVATE KEY-----\n)[\w+/=\n]+/gu, "$1<secret>\n")
    .replace(/"secret":"\w+"/gu, '"secret":"<secret>"')
    .replace(ownStyleOrScript, "<$1></$1>");
}

/** Of an HTML report, the same in each: its digest is in the report as well. */
const ownStyleOrScript = /<(style|script)>\n[\s\S]*?<\/\1>/gu;

const addressWithPort = /http:\/\/127\.0\.0\.1:\d+/gu;

/** The ID of a plan, and the hashes of a log that names it, follow from the address of the service. */
function withoutPort(text: string): string {
  if (text.search(addressWithPort) < 0) return text;
  return text
    .replace(/Plan ID [0-9a-f]{16}/gu, "Plan ID <id>")
    .replace(/"plan":"[0-9a-f]{16}"/gu, '"plan":"<id>"')
    .replace(/\b(\d+):[0-9a-f]{64}\b/gu, "$1:<hash>")
    .replace(/"(hash|previous)":"[0-9a-f]{64}"/gu, '"$1":"<hash>"')
    .replace(addressWithPort, "http://127.0.0.1:<port>");
}
