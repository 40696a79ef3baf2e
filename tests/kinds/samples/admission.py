"""Whole objects of the kinds by which others are asked before something is written: every field that can be set together."""

from svcsim.meta.types import Object

_RULE: Object = {
    "operations": ["CREATE", "UPDATE"],
    "apiGroups": ["", "apps"],
    "apiVersions": ["v1"],
    "resources": ["pods", "deployments/scale"],
    "scope": "Namespaced",
}
_SELECTOR: Object = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]}
_CONDITIONS: list[Object] = [{"name": "others", "expression": "request.userInfo.username != 'me'"}]
_WEBHOOK: Object = {
    "name": "images.example.com",
    "clientConfig": {"service": {"namespace": "default", "name": "images", "path": "/check", "port": 8443}, "caBundle": "Q0E="},
    "rules": [_RULE],
    "failurePolicy": "Ignore",
    "matchPolicy": "Exact",
    "namespaceSelector": _SELECTOR,
    "objectSelector": _SELECTOR,
    "sideEffects": "NoneOnDryRun",
    "timeoutSeconds": 5,
    "admissionReviewVersions": ["v1", "v1beta1"],
    "matchConditions": _CONDITIONS,
}
_OUTSIDE: Object = {
    **_WEBHOOK,
    "name": "names.example.com",
    "clientConfig": {"url": "https://hooks.example.com:8443/check", "caBundle": "Q0E="},
}
_MATCH: Object = {
    "namespaceSelector": _SELECTOR,
    "objectSelector": _SELECTOR,
    "resourceRules": [{**_RULE, "resourceNames": ["one", "two"]}],
    "excludeResourceRules": [{**_RULE, "resourceNames": ["three"]}],
    "matchPolicy": "Exact",
}
_PARAMS: Object = {"apiVersion": "v1", "kind": "ConfigMap"}
_VARIABLES: list[Object] = [{"name": "size", "expression": "object.spec.replicas"}, {"name": "large", "expression": "variables.size > 5"}]
_REFERENCE: Object = {"name": "limits", "namespace": "default", "parameterNotFoundAction": "Deny"}

FULL: dict[str, Object] = {
    "admissionregistration/v1 MutatingAdmissionPolicy": {
        "spec": {
            "paramKind": _PARAMS,
            "matchConstraints": _MATCH,
            "variables": _VARIABLES,
            "mutations": [
                {
                    "patchType": "ApplyConfiguration",
                    "applyConfiguration": {"expression": "Object{spec: Object.spec{replicas: variables.size}}"},
                },
                {
                    "patchType": "JSONPatch",
                    "jsonPatch": {"expression": "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: params.data.a}]"},
                },
            ],
            "failurePolicy": "Ignore",
            "matchConditions": _CONDITIONS,
            "reinvocationPolicy": "IfNeeded",
        }
    },
    "admissionregistration/v1 MutatingAdmissionPolicyBinding": {
        "spec": {"policyName": "sizes.example.com", "paramRef": _REFERENCE, "matchResources": _MATCH}
    },
    "admissionregistration/v1 MutatingWebhookConfiguration": {
        "webhooks": [{**_WEBHOOK, "reinvocationPolicy": "IfNeeded"}, {**_OUTSIDE, "reinvocationPolicy": "Never"}]
    },
    "admissionregistration/v1 ValidatingAdmissionPolicy": {
        "spec": {
            "paramKind": _PARAMS,
            "matchConstraints": _MATCH,
            "validations": [
                {
                    "expression": "!variables.large || authorizer.group('apps').resource('deployments').check('scale').allowed()",
                    "message": "too large",
                    "reason": "Forbidden",
                    "messageExpression": "'more than ' + string(params.data.most)",
                }
            ],
            "failurePolicy": "Ignore",
            "auditAnnotations": [{"key": "size", "valueExpression": "string(variables.size)"}],
            "matchConditions": _CONDITIONS,
            "variables": _VARIABLES,
        }
    },
    "admissionregistration/v1 ValidatingAdmissionPolicyBinding": {
        "spec": {
            "policyName": "sizes.example.com",
            "paramRef": {"selector": _SELECTOR, "parameterNotFoundAction": "Allow"},
            "matchResources": _MATCH,
            "validationActions": ["Warn", "Audit"],
        }
    },
    "admissionregistration/v1 ValidatingWebhookConfiguration": {"webhooks": [_WEBHOOK, _OUTSIDE]},
}
FULL |= {
    f"admissionregistration/v1beta1 {kind}": FULL[f"admissionregistration/v1 {kind}"]
    for kind in (
        *("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"),
        *("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    )
}
