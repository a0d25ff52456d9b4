// SPDX-License-Identifier: GPL-2.0
#include "quote_signature.h"

#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>

static const char wrong[] = "the key did not make this signature";
static const char cannot[] = "OpenSSL cannot check such a signature";

static const char *verify(EVP_PKEY *key, const struct pcr_bank *hash, int padding,
			  const uint8_t *signature, size_t size, const uint8_t *message, size_t len)
{
	const EVP_MD *md = EVP_get_digestbyname(hash->openssl_name);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	const char *reason = cannot;
	EVP_PKEY_CTX *options;

	/* the TPM takes as much salt as fits, or, in FIPS mode, as the digest is long */
	if (ctx && md && EVP_DigestVerifyInit(ctx, &options, md, NULL, key) == 1 &&
	    (!padding || EVP_PKEY_CTX_set_rsa_padding(options, padding) == 1) &&
	    (padding != RSA_PKCS1_PSS_PADDING ||
	     EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_AUTO) == 1))
		reason = EVP_DigestVerify(ctx, signature, size, message, len) == 1 ? NULL : wrong;
	EVP_MD_CTX_free(ctx);
	return reason;
}

/* OpenSSL wants r and s in DER. */
static const char *verify_ecdsa(const TPMS_SIGNATURE_ECC *s, EVP_PKEY *key,
				const struct pcr_bank *hash, const uint8_t *message, size_t len)
{
	BIGNUM *big_r = BN_bin2bn(s->signatureR.buffer, s->signatureR.size, NULL);
	BIGNUM *big_s = BN_bin2bn(s->signatureS.buffer, s->signatureS.size, NULL);
	ECDSA_SIG *signature = ECDSA_SIG_new();
	const char *reason = cannot;
	unsigned char *der = NULL;
	int size;

	if (big_r && big_s && signature && ECDSA_SIG_set0(signature, big_r, big_s)) {
		/* they are the signature's now */
		big_r = NULL;
		big_s = NULL;
		size = i2d_ECDSA_SIG(signature, &der);
		if (size > 0)
			reason = verify(key, hash, 0, der, (size_t)size, message, len);
	}
	BN_free(big_r);
	BN_free(big_s);
	ECDSA_SIG_free(signature);
	OPENSSL_free(der);
	return reason;
}

const char *quote_signature_check(const TPMT_SIGNATURE *s, EVP_PKEY *key, const uint8_t *message,
				  size_t len, const struct pcr_bank **hash)
{
	/* the same member for all schemes: Part 2, 11.3.3 */
	*hash = pcr_bank_by_alg(s->signature.any.hashAlg);
	if (!*hash)
		return "unknown hash algorithm";
	switch (s->sigAlg) {
	case TPM2_ALG_RSASSA:
	case TPM2_ALG_RSAPSS:
		if (!EVP_PKEY_is_a(key, "RSA"))
			return "an RSA signature, but the key is none";
		return verify(key, *hash,
			      s->sigAlg == TPM2_ALG_RSASSA ? RSA_PKCS1_PADDING :
							     RSA_PKCS1_PSS_PADDING,
			      s->signature.rsassa.sig.buffer, s->signature.rsassa.sig.size, message,
			      len);
	case TPM2_ALG_ECDSA:
		if (!EVP_PKEY_is_a(key, "EC"))
			return "an ECDSA signature, but the key is none";
		return verify_ecdsa(&s->signature.ecdsa, key, *hash, message, len);
	default:
		return "neither RSASSA, RSAPSS nor ECDSA";
	}
}
