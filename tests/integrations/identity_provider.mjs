// A real identity provider for tests: any name and password log in. Arguments: port, address of the console, and a
// JSON file with the claims of each user by name, which is read at every use.
import { readFileSync } from "node:fs";
import { Provider } from "npm:oidc-provider@9.13.3";

const [port, console_address, claims_file] = Deno.args;
const callback = `${console_address}/login/with/oidc`;

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{
    client_id: "console",
    client_secret: "a-secret-of-this-test-only",
    redirect_uris: [`${callback}/callback/`],
    post_logout_redirect_uris: [`${console_address}/login/`],
    backchannel_logout_uri: `${callback}/log-out/`,
    backchannel_logout_session_required: true,
  }],
  claims: {
    openid: ["sub"],
    profile: ["preferred_username", "given_name", "family_name", "groups"],
    email: ["email"],
  },
  features: { backchannelLogout: { enabled: true } },
  pkce: { required: () => true },
  // Its own fetch refuses addresses of this machine.
  fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
  findAccount: (_, subject) => ({
    accountId: subject,
    claims: () => ({ sub: subject, ...JSON.parse(readFileSync(claims_file, "utf8"))[subject] }),
  }),
});
provider.on("backchannel.success", () => console.log("back-channel: accepted"));
provider.on("backchannel.error", (_, error) => console.log(`back-channel: ${error.message}`));
provider.on("server_error", (_, error) => console.log(error.stack));
provider.listen(Number(port), "127.0.0.1", () => console.log("listening"));
