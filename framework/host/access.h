// Who may ask the host for what.
//
// A browser sends its user's requests for any page that is open in it. So: names that somebody else
// can point here are not answered (DNS rebinding), changes are not taken from pages of other
// origins, and bodies are JSON, which no form sends.
//
// Pure; any thread.
#pragma once

#include "framework/host/http_server.h"

namespace ivm {

enum class Needs {
    Nothing,  // for probes, and the page's own files
    Read,
    Write,
};

struct AccessRules {
    QByteArray token;      // for everything; empty: none is asked for
    QByteArray readToken;  // for reading; empty: reading is free
    QStringList hosts;     // names under which the host is reached, beside addresses and localhost

    // Nothing where the request may go on. Codes: unknown_host (421), other_origin (403),
    // no_token (401), wrong_token (403), not_json (415).
    std::optional<HttpResponse> refusal(const HttpRequest &request, Needs needs) const;
};

// {"error": …} with the status that fits.
HttpResponse errorResponse(const Error &error);
HttpResponse errorResponse(int status, const Error &error);

}  // namespace ivm
