/* A module of the first ABI, 1.0, in two roles of which one has got further operations since (transport). tests/sdk/abi
 * builds it from the headers recorded then, and has it work in a program of today. */
#include <assay/plugin.h>
#include <assay/roles/sampler.h>
#include <assay/roles/transport.h>
#include <string.h>

static int draw(void *self, assay_call *call, assay_tools required, assay_tools candidates, size_t n, uint32_t *picked,
		size_t *n_picked, assay_error *err)
{
	(void)self, (void)required, (void)err;
	*n_picked = 0;
	if (n > 0 && candidates.count > 0) {
		picked[(*n_picked)++] = call->host->rng->below(call, (uint32_t)candidates.count);
	}
	return 0;
}

/* It keeps the message and gives it back. */
struct echo {
	const assay_host *host;
	char message[65536];
	size_t len;
};

static int open_echo(const assay_host *host, const assay_json *options, void **self, assay_error *err)
{
	struct echo *e = host->alloc(sizeof *e);
	(void)options;
	if (!e) {
		return host->fail(err, ASSAY_ENOMEM, "out of memory");
	}
	e->host = host;
	*self = e;
	return 0;
}

static void close_echo(void *self)
{
	if (self) {
		((struct echo *)self)->host->free(self);
	}
}

static int connect_echo(void *self, assay_call *call, assay_error *err)
{
	(void)self, (void)call, (void)err;
	return 0;
}

static int send(void *self, assay_call *call, assay_str message, assay_error *err)
{
	struct echo *e = self;
	(void)call;
	if (message.len > sizeof e->message) {
		return e->host->fail(err, ASSAY_ELIMIT, "too long");
	}
	memcpy(e->message, message.ptr, message.len);
	e->len = message.len;
	return 0;
}

static int receive(void *self, assay_call *call, int64_t timeout_ms, assay_sink *messages, assay_error *err)
{
	struct echo *e = self;
	(void)call, (void)timeout_ms;
	int rc = messages->write(messages, (assay_str){e->message, e->len}, err);
	return rc < 0 ? rc : 0;
}

static const assay_sampler_ops sampler_ops = {.size = sizeof sampler_ops, .draw = draw};
static const assay_transport_ops transport_ops = {.size = sizeof transport_ops,
						  .open = open_echo,
						  .close = close_echo,
						  .connect = connect_echo,
						  .send = send,
						  .receive = receive};
static const assay_impl sampler = {.size = sizeof sampler,
				   .role = ASSAY_ROLE_SAMPLER,
				   .role_version = 1,
				   .name = "of-old",
				   .summary = "one at random",
				   .ops = &sampler_ops};
static const assay_impl transport = {.size = sizeof transport,
				     .role = ASSAY_ROLE_TRANSPORT,
				     .role_version = 1,
				     .name = "of-old",
				     .summary = "gives back what it is told",
				     .ops = &transport_ops};
ASSAY_PLUGIN(of_old, "1.0.0", "Built when the ABI was 1.0", "Apache-2.0", &sampler, &transport)
