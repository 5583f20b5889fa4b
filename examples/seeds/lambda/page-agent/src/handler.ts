import { findPage } from "./pages";

/** Lambda handler of the page-agent: answers a request with a page. */
export async function handler(event: { path: string }) {
  const page = await findPage(event.path);
  return page ? { status: 200, body: page } : { status: 404, body: "" };
}
