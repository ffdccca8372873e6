import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Uses a definition and its objects as operators in Java do. Prints a line for each part that worked. The arguments are a
 * kubeconfig and the file of the definition.
 */
public class Ovens {
  @Group("bakery.example.com")
  @Version("v1")
  @ShortNames("ov")
  public static class Oven extends CustomResource<OvenSpec, OvenStatus> implements Namespaced {}

  public static class OvenSpec {
    public String size;
    public int degrees;
    public Integer replicas;
    public IntOrString door;
    public List<Tray> trays;
  }

  public static class Tray {
    public String name;
    public int buns;
  }

  public static class OvenStatus {
    public String phase;
    public Integer replicas;
    public Long observedGeneration;
  }

  private static Oven oven(String name, int degrees) {
    Oven oven = new Oven();
    oven.setMetadata(new ObjectMetaBuilder().withName(name).withNamespace("default").build());
    oven.setSpec(new OvenSpec());
    oven.getSpec().degrees = degrees;
    return oven;
  }

  private static void check(boolean holds, Object found) {
    if (!holds) throw new IllegalStateException("found " + found);
  }

  private static void definition(KubernetesClient client, File file) {
    CustomResourceDefinition made = client.apiextensions().v1().customResourceDefinitions().load(file).create();
    client
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName(made.getMetadata().getName())
        .waitUntilCondition(
            one ->
                one != null
                    && one.getStatus() != null
                    && one.getStatus().getConditions().stream()
                        .anyMatch(it -> it.getType().equals("Established") && it.getStatus().equals("True")),
            60,
            TimeUnit.SECONDS);
    check(client.supports(Oven.class), "no support for ovens");
  }

  private static void objects(MixedOperation<Oven, KubernetesResourceList<Oven>, Resource<Oven>> ovens) {
    Oven made = ovens.resource(oven("one", 200)).create();
    check(made.getSpec().size.equals("Small") && made.getSpec().replicas == 1, made);
    Resource<Oven> one = ovens.inNamespace("default").withName("one");
    Oven edited =
        one.edit(
            it -> {
              it.getSpec().door = new IntOrString("40%");
              return it;
            });
    check(edited.getMetadata().getGeneration() == 2 && edited.getSpec().door.getStrVal().equals("40%"), edited);
    Oven reported =
        one.editStatus(
            it -> {
              it.setStatus(new OvenStatus());
              it.getStatus().phase = "Hot";
              it.getSpec().degrees = 30;
              return it;
            });
    check(reported.getStatus().phase.equals("Hot") && reported.getSpec().degrees == 200, reported);
    one.scale(3);
    check(one.get().getSpec().replicas == 3, one.get());
    Oven applied = oven("two", 210);
    applied.getSpec().trays = new ArrayList<>(List.of(new Tray()));
    applied.getSpec().trays.get(0).name = "top";
    check(ovens.resource(applied).serverSideApply().getMetadata().getManagedFields().get(0).getOperation().equals("Apply"), applied);
    check(ovens.inNamespace("default").list().getItems().size() == 2, "another number");
  }

  private static void refusals(MixedOperation<Oven, KubernetesResourceList<Oven>, Resource<Oven>> ovens) {
    try {
      ovens.resource(oven("hot", 290)).create();
      throw new IllegalStateException("the rule was not applied");
    } catch (KubernetesClientException refused) {
      check(refused.getCode() == 422 && refused.getMessage().contains("an oven of size Small does not get that hot"), refused);
    }
    try {
      Oven stale = ovens.inNamespace("default").withName("one").get();
      stale.getMetadata().setResourceVersion("1");
      ovens.resource(stale).update();
      throw new IllegalStateException("a stale version was taken");
    } catch (KubernetesClientException refused) {
      check(refused.getCode() == 409, refused);
    }
  }

  private static void informer(MixedOperation<Oven, KubernetesResourceList<Oven>, Resource<Oven>> ovens) throws InterruptedException {
    int count = 20;
    CountDownLatch left = new CountDownLatch(3 * count);
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    SharedIndexInformer<Oven> informer =
        ovens
            .inNamespace("default")
            .withLabel("seen")
            .inform(
                new ResourceEventHandler<Oven>() {
                  private void tell(String what, Oven oven) {
                    told.add(what + " " + oven.getMetadata().getName());
                    left.countDown();
                  }

                  @Override
                  public void onAdd(Oven oven) {
                    tell("add", oven);
                  }

                  @Override
                  public void onUpdate(Oven old, Oven oven) {
                    tell("update", oven);
                  }

                  @Override
                  public void onDelete(Oven oven, boolean unknown) {
                    tell("delete", oven);
                  }
                });
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Oven oven = oven("seen-" + i, 200);
      oven.getMetadata().setLabels(Collections.singletonMap("seen", "yes"));
      Oven made = ovens.resource(oven).create();
      made.getSpec().degrees = 100;
      ovens.resource(made).update();
      ovens.resource(made).delete();
      for (String what : List.of("add", "update", "delete")) expected.add(what + " seen-" + i);
    }
    check(left.await(60, TimeUnit.SECONDS) && told.equals(expected), told);
    informer.stop();
  }

  public static void main(String[] arguments) throws Exception {
    Config config = Config.fromKubeconfig(Files.readString(Path.of(arguments[0])));
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      definition(client, new File(arguments[1]));
      System.out.println("definition works");
      MixedOperation<Oven, KubernetesResourceList<Oven>, Resource<Oven>> ovens = client.resources(Oven.class);
      objects(ovens);
      System.out.println("objects work");
      refusals(ovens);
      System.out.println("refusals work");
      informer(ovens);
      System.out.println("informer works");
    }
  }
}
